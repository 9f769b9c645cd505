import { delay } from '#core/clock.ts'
import { Stopping, TimeUp } from '#core/interruptions.ts'
import type { Output } from '#providers/provider.ts'
import type { TaskDeps, TaskWork } from './task-work.ts'

/** The result itself is unusable, even if fetched again. The message is for the caller. */
export class ResultUnusable extends Error {
  override name = 'ResultUnusable'
}

const firstPauseMs = 500
const longestPauseMs = 30_000

/**
 * Saves a result in the media store. It is paid for and fetching is free, so a host or a store that
 * fails is tried again until the time limit.
 */
export async function storeResult(
  deps: TaskDeps,
  work: TaskWork,
  outputs: Output[],
): Promise<{ media: string } | { reason: string }> {
  const { row, signal, stopping } = work
  const owner = { accountId: row.account_id, kind: row.kind }
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return { media: await deps.storeOutputs(owner, outputs, signal) }
    } catch (error) {
      if (signal.reason instanceof TimeUp) return { reason: 'the time limit passed' }
      signal.throwIfAborted()
      if (error instanceof ResultUnusable) return { reason: error.message }
      deps.onError(error, row.id)
    }
    // Another worker can fetch what the provider still has; a result that is only here cannot wait.
    if (stopping.aborted && row.stage === 'SUBMITTED') throw new Stopping()
    await delay(pauseMs, signal, deps.clock).catch(() => undefined)
  }
}
