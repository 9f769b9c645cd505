import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ChatStorage } from '#console/screens/playground/chat/chat-storage.ts'
import { createChatStore, type Tabs } from '#console/screens/playground/chat/chat-store.ts'
import {
  chatAsJson,
  chatAsMarkdown,
  fileNameOf,
} from '#console/screens/playground/chat/export-chat.ts'
import {
  type Answer,
  branchOf,
  type Conversation,
  mergeConversation,
  mergeTurns,
  nameFrom,
  newerTurn,
  pathTo,
  type Question,
  shownPath,
  siblingsOf,
  type Turn,
} from '#console/screens/playground/chat/turn-tree.ts'
import { rounds } from '../../support/rounds.ts'

const common = { conversationId: 'c', side: 'left' as const, atMs: 0 }
const question = (id: string, parentId: string | null, atMs = 0): Question => ({
  ...{ ...common, id, parentId, atMs },
  ...{ role: 'user', text: `question ${id}`, images: [] },
})
const answer = (id: string, parentId: string, more: Partial<Answer> = {}): Answer => ({
  ...{ ...common, id, parentId, role: 'assistant', text: `answer ${id}` },
  ...{ model: 'm', reasoning: '', toolCalls: [], ...more },
})
const end = {
  ...{ model: 'm', finishReason: null, inputTokens: null, outputTokens: null, cost: null, ms: 1 },
}
const idsOf = (turns: readonly Turn[]) => turns.map(({ id }) => id).join(' ')

test('an edited question and another answer become siblings, the newest is shown', () => {
  const turns = mergeTurns(
    [],
    [
      ...[question('q1', null), answer('a1', 'q1', { atMs: 1 }), answer('a2', 'q1', { atMs: 2 })],
      ...[question('q2', 'a2', 3), question('other', null, 4)],
    ],
  )
  assert.equal(idsOf(shownPath(turns, 'left', {})), 'other')
  assert.equal(idsOf(shownPath(turns, 'left', { 'first left': 'q1' })), 'q1 a2 q2')
  assert.equal(idsOf(shownPath(turns, 'left', { 'first left': 'q1', q1: 'a1' })), 'q1 a1')
  assert.equal(idsOf(shownPath(turns, 'right', {})), '')
  assert.equal(idsOf(siblingsOf(turns, answer('a1', 'q1'))), 'a1 a2')
  assert.equal(idsOf(pathTo(turns, 'q2')), 'q1 a2 q2')
})

test('a chosen version that was never stored leads to the newest, not to nothing', () => {
  const turns = [question('q1', null), answer('a1', 'q1')]
  assert.equal(idsOf(shownPath(turns, 'left', { 'first left': 'gone', q1: 'gone' })), 'q1 a1')
})

test('turns that point at each other end the path instead of the page', () => {
  const turns = [question('q1', null), answer('q1', 'q1')]
  assert.ok(shownPath(turns, 'left', {}).length <= 2)
  assert.ok(pathTo([answer('a', 'b'), answer('b', 'a')], 'a').length <= 2)
})

test('a branch is a copy with ids of its own, in its own conversation', () => {
  let next = 0
  const copies = branchOf([question('q1', null), answer('a1', 'q1')], 'd', () => `n${next++}`)
  assert.deepEqual(
    copies.map(({ id, parentId, conversationId, text }) => [id, parentId, conversationId, text]),
    [
      ['n0', null, 'd', 'question q1'],
      ['n1', 'n0', 'd', 'answer a1'],
    ],
  )
})

const someTurn = fc.record({
  id: fc.constantFrom('a', 'b', 'c'),
  text: fc.constantFrom('', 'x', 'xy'),
  ended: fc.constantFrom('no', 'yes', 'counted'),
})
const turnOf = ({ id, text, ended }: { id: string; text: string; ended: string }): Answer =>
  answer(id, 'q', {
    text,
    ...(ended === 'no' ? {} : { end: { ...end, inputTokens: ended === 'counted' ? 1 : null } }),
  })

test('tabs agree on a conversation whichever writes come first, and no turn goes back', () => {
  fc.assert(
    fc.property(fc.array(someTurn), fc.array(someTurn), (left, right) => {
      const [a, b] = [left.map(turnOf), right.map(turnOf)]
      const merged = mergeTurns(mergeTurns([], a), b)
      assert.deepEqual(
        merged.map(({ id, text }) => [id, text]),
        mergeTurns(mergeTurns([], b), a).map(({ id, text }) => [id, text]),
      )
      for (const turn of [...a, ...b]) {
        const kept = merged.find(({ id }) => id === turn.id) ?? assert.fail(turn.id)
        assert.equal(newerTurn(kept, turn), kept)
      }
    }),
    { numRuns: rounds(500) },
  )
})

const conversation: Conversation = {
  ...{ id: 'c', owner: 'me', name: 'A: plan/1', namedAtMs: 0, createdAtMs: 0, changedAtMs: 1 },
}

test('the later name wins, and what either tab deleted is deleted', () => {
  const named = { ...conversation, name: 'Mine', namedAtMs: 5 }
  const deleted = { ...conversation, changedAtMs: 9, deletedAtMs: 8 }
  for (const merged of [mergeConversation(named, deleted), mergeConversation(deleted, named)])
    assert.deepEqual([merged.name, merged.changedAtMs, merged.deletedAtMs], ['Mine', 9, 8])
})

test('a conversation is named by the first line of its question', () => {
  assert.equal(nameFrom('  Hi\nthere'), 'Hi')
  assert.equal(nameFrom('x'.repeat(80)).length, 60)
  assert.equal(nameFrom(' \n'), 'A picture')
})

test('an export has everything in JSON, and what is shown in Markdown', () => {
  const call = { id: '1', name: 'f', arguments: '{"a":"```"}' }
  const turns: Turn[] = [question('q', null), answer('a', 'q', { toolCalls: [call], end })]
  const text = chatAsMarkdown(conversation, turns)
  assert.match(text, /^# A: plan\/1\n\n## Question\n\nquestion q\n\n## m\n\nanswer a\n\nCalls f:/)
  assert.match(text, /````\n\{"a":"```"\}\n````/)
  assert.deepEqual(JSON.parse(chatAsJson(conversation, turns)), { conversation, turns })
  assert.equal(fileNameOf(conversation, 'md'), 'A plan1.md')
})

/** A storage that several stores share, as tabs share their browser's. */
function memoryStorage(): ChatStorage {
  const conversations = new Map<string, Conversation>()
  const turns = new Map<string, Turn>()
  return {
    conversations: async (owner) =>
      [...conversations.values()].filter((one) => one.owner === owner),
    turns: async (id) => [...turns.values()].filter((turn) => turn.conversationId === id),
    async put(what) {
      for (const one of what.conversations ?? []) {
        const known = conversations.get(one.id)
        conversations.set(one.id, known ? mergeConversation(known, one) : one)
      }
      for (const turn of what.turns ?? []) {
        const known = turns.get(turn.id)
        turns.set(turn.id, known ? newerTurn(known, turn) : turn)
      }
    },
    async forget(id) {
      for (const turn of turns.values()) if (turn.conversationId === id) turns.delete(turn.id)
    },
    search: async (text) =>
      new Set(
        [...turns.values()]
          .filter((turn) => turn.text.includes(text))
          .map(({ conversationId }) => conversationId),
      ),
  }
}

function tabsOf(count: number): { tabs: Tabs[]; heard(): Promise<void> } {
  const hearers: ((id: string) => void | Promise<void>)[] = []
  let hearing: Promise<unknown> = Promise.resolve()
  const tabs = Array.from({ length: count }, (_, index) => ({
    post(id: string) {
      const others = hearers.filter((_, other) => other !== index)
      hearing = Promise.all([hearing, ...others.map((hear) => hear(id))])
    },
    onPost: (hear: (id: string) => void | Promise<void>) => void hearers.push(hear),
  }))
  return { tabs, heard: async () => void (await hearing) }
}

test('two tabs write to one conversation, and both see both', async () => {
  const storage = memoryStorage()
  const { tabs, heard } = tabsOf(2)
  const [one, two] = tabs.map((tab) => createChatStore({ storage, tabs: tab, nowMs: () => 1 }))
  assert.ok(one && two)
  for (const tab of [one, two]) {
    await tab.start('me')
    await tab.read('c')
  }
  await Promise.all([
    one.put({ conversations: [one.touched('c', 'first')], turns: [question('q1', null)] }),
    two.put({ conversations: [two.touched('c', 'second')], turns: [question('q2', null, 1)] }),
  ])
  await heard()
  for (const tab of [one, two]) {
    assert.equal(idsOf(tab.use.getState().turns.c ?? []), 'q1 q2')
    assert.equal(tab.use.getState().conversations.length, 1)
  }
  assert.deepEqual([...(await two.search('question q1'))], ['c'])
  await two.remove(two.touched('c', ''))
  await heard()
  assert.deepEqual(one.use.getState().conversations, [])
  assert.deepEqual([...one.use.getState().deleted], ['c'])
  // An answer that was still arriving in the other tab brings nothing back.
  await one.put({ turns: [answer('a1', 'q1')] })
  await heard()
  assert.deepEqual(two.use.getState().conversations, [])
  await one.put({ conversations: [one.touched('c', 'again')] })
  assert.deepEqual(one.use.getState().conversations, [])
})

test('another person in the same browser sees no conversation of the first', async () => {
  const storage = memoryStorage()
  const [tab] = tabsOf(1).tabs
  const store = createChatStore({ storage, tabs: tab ?? assert.fail(), nowMs: () => 1 })
  await store.start('me')
  await store.put({ conversations: [store.touched('c', 'mine')], turns: [question('q', null)] })
  await store.start('you')
  assert.deepEqual([store.use.getState().conversations, store.use.getState().turns], [[], {}])
  await store.start('me')
  assert.equal(store.use.getState().conversations[0]?.name, 'mine')
})

test('a browser that stores nothing keeps the conversation as long as the page is open', async () => {
  const refused = () => Promise.reject(new Error('full'))
  const storage = {
    ...{ conversations: refused, turns: refused, put: refused, forget: refused, search: refused },
  }
  const [tab] = tabsOf(1).tabs
  const store = createChatStore({ storage, tabs: tab ?? assert.fail(), nowMs: () => 1 })
  await store.start('me')
  await store.put({ conversations: [store.touched('c', 'hi')], turns: [question('q', null)] })
  const { isKept, isRead, turns } = store.use.getState()
  assert.deepEqual([isKept, isRead, turns.c?.length], [false, true, 1])
})
