// Stores unsaved edits after a pause of 800 ms. One write at a time, and the newest document wins.
// While the server cannot be reached, the write is retried and the local copy keeps the work safe.
import type { Timers } from './check.ts'
import { createStoredDraft, type DraftBody, type StoredDraftOptions } from './stored-draft.ts'

export const draftDelayMs = 800
export const retryMs = 10_000

export type DraftState = 'none' | 'waiting' | 'kept' | 'kept here' | 'lost'

type KeeperOptions = StoredDraftOptions & {
  onState(state: DraftState, draftId: string): void
  timers: Timers
}

export function createDraftKeeper({ onState, timers, ...stored }: KeeperOptions) {
  const draft = createStoredDraft(stored)
  let pending: DraftBody | null = null
  let timer: number | null = null
  let isWriting = false
  let isClosed = false

  const unschedule = () => {
    if (timer !== null) timers.clear(timer)
    timer = null
  }
  const schedule = (ms: number) => {
    unschedule()
    timer = timers.set(() => void write(), ms)
  }

  async function write(): Promise<void> {
    timer = null
    if (isWriting || !pending || isClosed) return
    isWriting = true
    const body = pending
    pending = null
    const state = await draft.put(body)
    isWriting = false
    onState(state, draft.id)
    if (state !== 'kept') pending ??= body
    if (pending) schedule(state === 'kept' ? draftDelayMs : retryMs)
  }

  return {
    changed(body: DraftBody) {
      pending = body
      onState('waiting', draft.id)
      schedule(draftDelayMs)
    },
    /** Writes at once, before the page is left. */
    flush: write,
    /** Stores what is pending, then continues under a new id. */
    async leave() {
      unschedule()
      await write()
      draft.renew()
      onState('none', draft.id)
    },
    /** Saved as a version: there is nothing left to store. */
    async discard() {
      pending = null
      unschedule()
      const removed = draft.remove()
      onState('none', draft.id)
      await removed
    },
    close() {
      isClosed = true
      unschedule()
    },
    get id() {
      return draft.id
    },
  }
}
