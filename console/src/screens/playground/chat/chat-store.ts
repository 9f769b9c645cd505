// The conversations of this tab, kept in step with the browser's storage and with other tabs.
// Lives as long as the page does, not as long as the screen: an answer goes on arriving while
// somebody looks at something else.
import { create } from 'zustand'
import type { ChatStorage } from './chat-storage.ts'
import {
  type Conversation,
  mergeConversation,
  mergeTurns,
  nameFrom,
  type Turn,
} from './turn-tree.ts'

export type ChatState = {
  owner: string
  /** Not the deleted ones; the one that changed last comes first. */
  conversations: readonly Conversation[]
  /** Those that were deleted: an address may still lead to one. */
  deleted: ReadonlySet<string>
  /** By conversation; absent until they are read. */
  turns: Readonly<Record<string, readonly Turn[]>>
  /** Answers that are arriving in this tab. */
  arriving: ReadonlySet<string>
  /** False if the browser stores nothing: then the conversations last as long as the page. */
  isKept: boolean
  isRead: boolean
}

/** Other tabs of this browser. */
export type Tabs = {
  post(conversationId: string): void
  onPost(hear: (conversationId: string) => void | Promise<void>): void
}

type Deps = { storage: ChatStorage; tabs: Tabs; nowMs(): number }

/** What this page shows; changed only by adding what was found. */
function createShown() {
  const use = create<ChatState>(() => ({
    owner: '',
    conversations: [],
    deleted: new Set(),
    turns: {},
    arriving: new Set(),
    isKept: true,
    isRead: false,
  }))
  return {
    use,
    add(found: readonly Conversation[]) {
      const byId = new Map(use.getState().conversations.map((one) => [one.id, one]))
      for (const one of found) {
        const known = byId.get(one.id)
        byId.set(one.id, known ? mergeConversation(known, one) : one)
      }
      const isDeleted = ({ deletedAtMs }: Conversation) => deletedAtMs !== undefined
      const all = [...byId.values()].sort((a, b) => b.changedAtMs - a.changedAtMs)
      const gone = all.filter(isDeleted).map(({ id }) => id)
      use.setState(({ deleted }) => ({
        conversations: all.filter((one) => !isDeleted(one) && !deleted.has(one.id)),
        deleted: gone.length > 0 ? new Set([...deleted, ...gone]) : deleted,
      }))
    },
    addTurns(conversationId: string, found: readonly Turn[]) {
      use.setState(({ turns }) => ({
        turns: { ...turns, [conversationId]: mergeTurns(turns[conversationId] ?? [], found) },
      }))
    },
    setArriving(answerId: string, isArriving: boolean) {
      const arriving = new Set(use.getState().arriving)
      if (isArriving) arriving.add(answerId)
      else arriving.delete(answerId)
      use.setState({ arriving })
    },
    /** A conversation exists from its first question on, which names it. */
    touched(conversationId: string, text: string, atMs: number): Conversation {
      const { conversations, owner } = use.getState()
      const known = conversations.find(({ id }) => id === conversationId)
      if (known) return { ...known, changedAtMs: atMs }
      const name = nameFrom(text)
      return { id: conversationId, owner, name, namedAtMs: 0, createdAtMs: atMs, changedAtMs: atMs }
    },
  }
}

type Change = { conversations?: readonly Conversation[]; turns?: readonly Turn[] }

export function createChatStore({ storage, tabs, nowMs }: Deps) {
  const shown = createShown()
  const { use } = shown

  const unlessBroken = async <T>(work: Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work
    } catch {
      // Storage may be full or forbidden. The page says so, and goes on in memory.
      use.setState({ isKept: false })
      return otherwise
    }
  }

  /** Reads everything of this person. Another person in the same browser starts afresh. */
  async function start(owner: string) {
    if (use.getState().owner === owner) return
    use.setState({ owner, conversations: [], deleted: new Set(), turns: {}, isRead: false })
    const all = await unlessBroken(storage.conversations(owner), [])
    if (use.getState().owner !== owner) return
    shown.add(all)
    use.setState({ isRead: true })
    for (const { id, deletedAtMs = nowMs() } of all)
      if (nowMs() - deletedAtMs > graceMs) void unlessBroken(storage.forget(id), undefined)
  }

  const read = async (conversationId: string) =>
    shown.addTurns(conversationId, await unlessBroken(storage.turns(conversationId), []))

  /** Shows and stores, in that order; resolves once it is stored. */
  async function put({ conversations = [], turns = [] }: Change) {
    shown.add(conversations)
    for (const turn of turns) shown.addTurns(turn.conversationId, [turn])
    await unlessBroken(storage.put({ conversations, turns }), undefined)
    const changed = [
      ...conversations.map(({ id }) => id),
      ...turns.map(({ conversationId }) => conversationId),
    ]
    for (const id of new Set(changed)) tabs.post(id)
  }

  tabs.onPost(async (conversationId) => {
    const { owner, turns } = use.getState()
    if (!owner) return
    shown.add(await unlessBroken(storage.conversations(owner), []))
    if (turns[conversationId]) await read(conversationId)
  })

  return {
    ...{ use, start, read, put },
    setArriving: shown.setArriving,
    touched: (conversationId: string, text: string) => shown.touched(conversationId, text, nowMs()),
    /** Without storing it: for an answer that grows many times a second. */
    showTurn: (turn: Turn) => shown.addTurns(turn.conversationId, [turn]),
    rename: (conversation: Conversation, name: string) =>
      put({ conversations: [{ ...conversation, name, namedAtMs: nowMs() }] }),
    /** Its turns are removed the next time that the page is opened. */
    remove: (conversation: Conversation) =>
      put({ conversations: [{ ...conversation, deletedAtMs: nowMs() }] }),
    search: (text: string) => unlessBroken(storage.search(text), new Set<string>()),
  }
}

/** A deleted conversation keeps its turns this long, for tabs that still show it. */
const graceMs = 60_000

export type ChatStore = ReturnType<typeof createChatStore>
