// Keeps what is being edited: after a pause of 800 ms on the server, and in this browser when the
// server cannot be reached. One writes at a time, and the newest document wins. A draft that was
// written by another tab meanwhile is left alone: this tab goes on under an id of its own.
import type { Timers } from './check.ts'

export const draftDelayMs = 800

export type DraftState = 'none' | 'waiting' | 'kept' | 'kept here' | 'lost'

export type DraftBody = { workflowId?: number; baseVersion?: number; name: string; data: unknown }

export type DraftShelf = {
  /** The new revision. 'taken': another tab wrote under this id. */
  put(id: string, body: DraftBody, revision: number | null): Promise<number | 'taken'>
  remove(id: string): Promise<void>
}

export type LocalDrafts = {
  put(id: string, body: DraftBody): Promise<void>
  remove(id: string): Promise<void>
}

type KeeperOptions = {
  id: string
  revision: number | null
  server: DraftShelf
  local: LocalDrafts
  newId(): string
  onState(state: DraftState, draftId: string): void
  timers: Timers
}

/** Tries the server again after a failure; what is here is safe meanwhile. */
export const retryMs = 10_000

export function createDraftKeeper(options: KeeperOptions) {
  const { server, local, timers, onState } = options
  let { id, revision } = options
  let pending: DraftBody | null = null
  let timer: number | null = null
  let isWriting = false
  let isHere = false
  let isClosed = false

  const schedule = (ms: number) => {
    if (timer !== null) timers.clear(timer)
    timer = timers.set(() => void write(), ms)
  }

  async function write(): Promise<void> {
    timer = null
    if (isWriting || !pending || isClosed) return
    isWriting = true
    const body = pending
    pending = null
    const isKept = await putOnServer(body)
    isWriting = false
    if (isKept) onState('kept', id)
    else {
      pending ??= body
      schedule(retryMs)
      return
    }
    if (pending) schedule(draftDelayMs)
  }

  async function putOnServer(body: DraftBody): Promise<boolean> {
    try {
      let answer = await server.put(id, body, revision)
      if (answer === 'taken') {
        id = options.newId()
        answer = await server.put(id, body, null)
      }
      if (answer === 'taken') throw new Error('a new draft cannot be taken')
      revision = answer
      if (isHere) await local.remove(id).catch(() => undefined)
      isHere = false
      return true
    } catch {
      try {
        await local.put(id, body)
        isHere = true
        onState('kept here', id)
      } catch {
        onState('lost', id)
      }
      return false
    }
  }

  return {
    changed(body: DraftBody) {
      pending = body
      onState('waiting', id)
      schedule(draftDelayMs)
    },
    /** At once, before the page is left. */
    flush: write,
    /** Keeps what is pending, then goes on under a new id. */
    async leave() {
      if (timer !== null) timers.clear(timer)
      await write()
      id = options.newId()
      revision = null
      isHere = false
      onState('none', id)
    },
    /** Saved as a version: nothing is left to keep. */
    async discard() {
      pending = null
      if (timer !== null) timers.clear(timer)
      timer = null
      const gone = id
      const wasStored = revision !== null
      id = options.newId()
      revision = null
      onState('none', id)
      if (isHere) await local.remove(gone).catch(() => undefined)
      isHere = false
      if (wasStored) await server.remove(gone).catch(() => undefined)
    },
    close() {
      isClosed = true
      if (timer !== null) timers.clear(timer)
    },
    get id() {
      return id
    },
  }
}
