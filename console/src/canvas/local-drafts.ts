// Drafts in this browser, for when the server cannot be reached. They are stored under the draft's
// id, so that a reopened tab finds its draft whichever tab wrote it.
import type { DraftBody, LocalDrafts } from './stored-draft.ts'

const storeName = 'drafts'

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('atelier', 1)
    request.onupgradeneeded = () => request.result.createObjectStore(storeName)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

async function use<T>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const db = await open()
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = db.transaction(storeName, mode)
      const request = act(transaction.objectStore(storeName))
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(transaction.error)
    })
  } finally {
    db.close()
  }
}

export type LocalDraft = DraftBody & { draftId: string; updatedAt: string }

export const localDrafts: LocalDrafts & { all(): Promise<LocalDraft[]> } = {
  put: async (draftId, body) =>
    void (await use('readwrite', (store) =>
      store.put({ ...body, draftId, updatedAt: new Date().toISOString() }, draftId),
    )),
  remove: async (draftId) => void (await use('readwrite', (store) => store.delete(draftId))),
  all: () => use<LocalDraft[]>('readonly', (store) => store.getAll()).catch(() => []),
}
