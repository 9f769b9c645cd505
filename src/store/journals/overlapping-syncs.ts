// When to sync a file that lines are added to. Promises that a sync begins within 50 ms of the first
// line that no sync has covered yet, also while an earlier one is still under way: with one at a
// time, a line would wait for two. Never more than two at once, because syncs of a disk that is
// stuck would take every thread that Node has for files and look-ups of names. So if a sync takes
// longer than 100 ms, a line may also wait for one of them to end.

/** A power cut may lose the lines of this long; no caller waits for the sync. */
const syncAfterMs = 50
const maxAtOnce = 2

export function overlappingSyncs(sync: () => Promise<void>) {
  const underWay = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  /** The sync that begins once another has ended; lines until then are part of it. */
  let next: Promise<void> | undefined
  let isStopped = false

  const beginAlone = () => void begin().catch(() => {})

  function begin(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (next) return next
    if (underWay.size >= maxAtOnce) {
      next = Promise.race(underWay).then(beginNext, beginNext)
      return next
    }
    const one = sync()
    underWay.add(one)
    const end = () => void underWay.delete(one)
    one.then(end, end)
    return one
  }

  function beginNext() {
    next = undefined
    return begin()
  }

  return {
    /** Has what was written so far synced. Its failures are the sync's own to tell. */
    schedule() {
      if (isStopped || timer || next) return
      timer = setTimeout(beginAlone, syncAfterMs)
      // Must not keep the process alive; a shutdown calls `stop` first.
      timer.unref()
    },
    /** Resolves once what was written so far is synced, and rejects with the sync's error. */
    run: begin,
    /** Resolves when all that are under way have ended, however they did. */
    async ended() {
      await Promise.allSettled(underWay)
    },
    /** Starts nothing more by itself. Resolves when none is under way. */
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await next?.catch(() => {})
      await Promise.allSettled(underWay)
    },
  }
}
