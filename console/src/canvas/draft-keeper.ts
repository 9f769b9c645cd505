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
  const writer = createWriter(draft, { onState, timers })
  return {
    changed(body: DraftBody) {
      writer.pend(body)
      onState('waiting', draft.id)
    },
    /** Writes at once, before the page is left. */
    flush: writer.write,
    /** Stores what is pending, then continues under a new id. */
    async leave() {
      await writer.writeAll()
      draft.renew()
      onState('none', draft.id)
    },
    /** Stores this document now. Null if the server could not be reached. */
    async store(body: DraftBody): Promise<{ draftId: string; revision: number } | null> {
      writer.pend(body)
      const isStored = await writer.writeAll()
      const { id: draftId, revision } = draft
      return isStored && revision !== null ? { draftId, revision } : null
    },
    /** Saved as a version: there is nothing left to store. */
    async discard() {
      writer.drop()
      const removed = draft.remove()
      onState('none', draft.id)
      await removed
    },
    close: writer.close,
    get id() {
      return draft.id
    },
  }
}

type StoredDraft = ReturnType<typeof createStoredDraft>

function createWriter(
  draft: StoredDraft,
  { onState, timers }: Pick<KeeperOptions, 'onState' | 'timers'>,
) {
  let pending: DraftBody | null = null
  let timer: number | null = null
  let writing: Promise<void> | null = null
  let isClosed = false
  /** What is being written is no longer wanted. */
  let isDropped = false

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
    if (writing || !pending || isClosed) return
    writing = put(pending)
    await writing
  }

  async function put(body: DraftBody): Promise<void> {
    pending = null
    isDropped = false
    const state = await draft.put(body)
    writing = null
    const isLost = state !== 'kept' && !isDropped
    // What is shown is about the newest document.
    if (!isDropped) onState(pending && state === 'kept' ? 'waiting' : state, draft.id)
    if (isLost) pending ??= body
    if (pending) schedule(isLost ? retryMs : draftDelayMs)
  }

  return {
    pend(body: DraftBody) {
      pending = body
      schedule(draftDelayMs)
    },
    write,
    /** Also what changed while an earlier write is on its way. False if it could not be stored. */
    async writeAll(): Promise<boolean> {
      await writing
      unschedule()
      await write()
      return pending === null
    },
    drop() {
      isDropped = true
      pending = null
      unschedule()
    },
    close() {
      isClosed = true
      unschedule()
    },
  }
}
