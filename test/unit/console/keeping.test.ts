import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkDelayMs, createChecker } from '../../../console/src/canvas/check.ts'
import {
  createDraftKeeper,
  type DraftState,
  draftDelayMs,
  retryMs,
} from '../../../console/src/canvas/draft-keeper.ts'
import type { DraftBody } from '../../../console/src/canvas/stored-draft.ts'

function fakeTimers() {
  let nowMs = 0
  let last = 0
  const waiting = new Map<number, { at: number; run: () => void }>()
  return {
    timers: {
      set: (run: () => void, ms: number) => {
        waiting.set(++last, { at: nowMs + ms, run })
        return last
      },
      clear: (timer: number) => void waiting.delete(timer),
    },
    async pass(ms: number) {
      nowMs += ms
      for (const [timer, { at, run }] of waiting) {
        if (at > nowMs) continue
        waiting.delete(timer)
        run()
      }
      // Lets the callbacks of all settled promises run.
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

test('one check follows a pause, and an answer to an older graph is dropped', async () => {
  const { timers, pass } = fakeTimers()
  const asked: { doc: string; answer: (text: string) => void }[] = []
  const heard: string[] = []
  const checker = createChecker<string, string>({
    ask: (doc) => new Promise((answer) => asked.push({ doc, answer })),
    onAnswer: (answer) => heard.push(answer),
    onFailure: () => heard.push('failed'),
    timers,
  })
  checker.changed('a')
  await pass(checkDelayMs - 1)
  checker.changed('ab')
  await pass(checkDelayMs)
  assert.deepEqual(
    asked.map(({ doc }) => doc),
    ['ab'],
  )
  checker.changed('abc')
  await pass(checkDelayMs)
  asked[1]?.answer('of abc')
  await pass(0)
  asked[0]?.answer('of ab')
  await pass(0)
  assert.deepEqual(heard, ['of abc'])
})

test('what is run is on the server first, also while an older write is on its way', async () => {
  const waiting: (() => void)[] = []
  const names: string[] = []
  const { timers } = fakeTimers()
  let isDown = false
  const kept = createDraftKeeper({
    id: 'mine',
    revision: null,
    server: {
      async put(_, { name }) {
        if (isDown) throw new Error('unreachable')
        if (name === 'old') await new Promise<void>((done) => waiting.push(done))
        names.push(name)
        return names.length
      },
      remove: async () => {},
    },
    local: { put: async () => {}, remove: async () => {} },
    newId: () => 'another',
    onState: () => {},
    timers,
  })
  kept.changed(body('old'))
  void kept.flush()
  const stored = kept.store(body('new'))
  waiting[0]?.()
  assert.deepEqual(await stored, { draftId: 'mine', revision: 2 })
  assert.deepEqual(names, ['old', 'new'])
  isDown = true
  assert.equal(await kept.store(body('newer')), null)
})

type Put = (id: string, revision: number | null) => Answer | Promise<Answer>
type Answer = number | 'taken'

function keeper(server: { put: Put }) {
  const clock = fakeTimers()
  const states: DraftState[] = []
  const local = new Map<string, DraftBody>()
  const removed: string[] = []
  let count = 0
  const kept = createDraftKeeper({
    id: 'first',
    revision: null,
    server: {
      put: async (id, _, revision) => server.put(id, revision),
      remove: async (id) => void removed.push(id),
    },
    local: {
      put: async (id, body) => void local.set(id, body),
      remove: async (id) => void local.delete(id),
    },
    newId: () => `other-${++count}`,
    onState: (state) => states.push(state),
    timers: clock.timers,
  })
  return { ...clock, kept, states, local, removed }
}
const body = (name: string): DraftBody => ({ name, data: {} })

test('a pause keeps the newest document on the server, each time under the last revision', async () => {
  const writes: [string, number | null][] = []
  const { kept, pass, states } = keeper({ put: (id, revision) => writes.push([id, revision]) })
  kept.changed(body('a'))
  await pass(draftDelayMs - 1)
  kept.changed(body('b'))
  await pass(draftDelayMs)
  kept.changed(body('c'))
  await pass(draftDelayMs)
  assert.deepEqual(writes, [
    ['first', null],
    ['first', 1],
  ])
  assert.deepEqual(states, ['waiting', 'waiting', 'kept', 'waiting', 'kept'])
})

test('a draft is not called saved while a newer edit waits to be', async () => {
  const answers: (() => void)[] = []
  const { kept, pass, states } = keeper({
    put: () => new Promise((resolve) => answers.push(() => resolve(answers.length))),
  })
  kept.changed(body('a'))
  await pass(draftDelayMs)
  kept.changed(body('b'))
  answers[0]?.()
  await pass(0)
  assert.equal(states.at(-1), 'waiting')
  await pass(draftDelayMs)
  answers[1]?.()
  await pass(0)
  assert.equal(states.at(-1), 'kept')
})

test('without the server the draft is kept here under its own id, and sent when it is back', async () => {
  let isDown = true
  const { kept, pass, states, local } = keeper({
    put: () => {
      if (isDown) throw new Error('offline')
      return 1
    },
  })
  kept.changed(body('a'))
  await pass(draftDelayMs)
  assert.deepEqual(local.get('first'), body('a'))
  isDown = false
  await pass(retryMs)
  assert.equal(local.size, 0)
  assert.deepEqual(states, ['waiting', 'kept here', 'kept'])
})

test('a draft another tab wrote is not overwritten: this tab goes on under an id of its own', async () => {
  const ids: string[] = []
  const { kept, pass } = keeper({
    put: (id) => {
      ids.push(id)
      return id === 'first' ? 'taken' : 1
    },
  })
  kept.changed(body('a'))
  await pass(draftDelayMs)
  assert.deepEqual(ids, ['first', 'other-1'])
  assert.equal(kept.id, 'other-1')
})

test('a saved version leaves no draft behind', async () => {
  const { kept, pass, removed, states } = keeper({ put: () => 1 })
  kept.changed(body('a'))
  await pass(draftDelayMs)
  await kept.discard()
  assert.deepEqual(removed, ['first'])
  assert.equal(states.at(-1), 'none')
})

test('a version saved while its draft is being written leaves no draft behind either', async () => {
  for (const isDown of [false, true]) {
    let answer = (_: number | Error) => {}
    const asked: (number | null)[] = []
    const { kept, pass, removed, local, states } = keeper({
      put: (_, revision) => {
        asked.push(revision)
        return new Promise((resolve, reject) => {
          answer = (given) => (given instanceof Error ? reject(given) : resolve(given))
        })
      },
    })
    kept.changed(body('old'))
    await pass(draftDelayMs)
    const discarded = kept.discard()
    kept.changed(body('newer'))
    answer(isDown ? new Error('unreachable') : 1)
    await discarded
    assert.deepEqual(removed, isDown ? [] : ['first'])
    assert.equal(local.size, 0)
    assert.equal(states.at(-1), 'waiting')
    await pass(draftDelayMs)
    assert.deepEqual(asked, [null, null], 'what follows is another draft')
  }
})

test('a draft that is left behind stays, and what follows is kept beside it', async () => {
  const ids: string[] = []
  const { kept, pass, removed } = keeper({
    put: (id) => {
      ids.push(id)
      return 1
    },
  })
  kept.changed(body('a'))
  await kept.leave()
  kept.changed(body('b'))
  await pass(draftDelayMs)
  assert.deepEqual(ids, ['first', 'other-1'])
  assert.deepEqual(removed, [])
})
