// Conversations in this browser's IndexedDB. Every write merges with what is stored, in one
// transaction, so that a tab with an older view removes nothing that another tab has written.
import { type Conversation, mergeConversation, newerTurn, type Turn } from './turn-tree.ts'

export type ChatStorage = {
  conversations(owner: string): Promise<Conversation[]>
  turns(conversationId: string): Promise<Turn[]>
  put(what: { conversations?: readonly Conversation[]; turns?: readonly Turn[] }): Promise<void>
  /** Removes the turns of a deleted conversation; its record stays, so that no tab revives it. */
  forget(conversationId: string): Promise<void>
  /** Which conversations of the owner contain this text in a turn. */
  search(text: string): Promise<ReadonlySet<string>>
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('atelier-chats', 1)
    request.onupgradeneeded = () => {
      const { result: db } = request
      db.createObjectStore('conversations', { keyPath: 'id' }).createIndex('owner', 'owner')
      db.createObjectStore('turns', { keyPath: 'id' }).createIndex(
        'conversationId',
        'conversationId',
      )
    }
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

type Stores = { conversations: IDBObjectStore; turns: IDBObjectStore }

/** One transaction; resolves with what `act` returns once it is on disk. */
async function use<T>(mode: IDBTransactionMode, act: (stores: Stores) => () => T): Promise<T> {
  const db = await open()
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = db.transaction(['conversations', 'turns'], mode)
      const result = act({
        conversations: transaction.objectStore('conversations'),
        turns: transaction.objectStore('turns'),
      })
      transaction.oncomplete = () => resolve(result())
      transaction.onabort = () => reject(transaction.error)
    })
  } finally {
    db.close()
  }
}

function putMerged<T extends { id: string }>(
  store: IDBObjectStore,
  records: readonly T[],
  merge: (stored: T, given: T) => T,
): void {
  for (const record of records) {
    const found: IDBRequest<T | undefined> = store.get(record.id)
    found.onsuccess = () => store.put(found.result ? merge(found.result, record) : record)
  }
}

export const browserChats: ChatStorage = {
  conversations: (owner) =>
    use('readonly', ({ conversations }) => {
      const request: IDBRequest<Conversation[]> = conversations.index('owner').getAll(owner)
      return () => request.result
    }),
  turns: (conversationId) =>
    use('readonly', ({ turns }) => {
      const request: IDBRequest<Turn[]> = turns.index('conversationId').getAll(conversationId)
      return () => request.result
    }),
  put: (what) =>
    use('readwrite', ({ conversations, turns }) => {
      putMerged(conversations, what.conversations ?? [], mergeConversation)
      putMerged(turns, what.turns ?? [], newerTurn)
      return () => undefined
    }),
  forget: (conversationId) =>
    use('readwrite', ({ turns }) => {
      const keys = turns.index('conversationId').getAllKeys(conversationId)
      keys.onsuccess = () => {
        for (const key of keys.result) turns.delete(key)
      }
      return () => undefined
    }),
  search: (text) =>
    use('readonly', ({ turns }) => {
      const wanted = text.toLowerCase()
      const found = new Set<string>()
      // One by one: all conversations together may be too much for memory.
      const request = turns.openCursor()
      request.onsuccess = () => {
        const cursor = request.result
        if (!cursor) return
        const turn = cursor.value as Turn
        if (turn.text.toLowerCase().includes(wanted)) found.add(turn.conversationId)
        cursor.continue()
      }
      return () => found
    }),
}
