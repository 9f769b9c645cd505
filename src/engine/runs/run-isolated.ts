import { delay } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import { Stopping } from '#core/interruptions.ts'
import type { Patience } from '#isolation/isolated-pool.ts'
import type { NodeScope } from './node-scope.ts'

const pauseMs = 1_000

/**
 * Asks the isolated processes that execute users' code. While they are unavailable, the node waits
 * within the time limit of its run, because a busy machine is no fault of the node. A caller that
 * only reads the run gets the error immediately.
 */
export async function runIsolated<T>(
  { deps, work, halt }: NodeScope,
  ask: (patience: Patience) => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await ask(work.journal ? { patienceMs: Number.POSITIVE_INFINITY } : {})
    } catch (error) {
      if (!isUnavailable(error) || !work.journal) throw error
    }
    halt.throwIfEnding()
    await delay(pauseMs, deps.stopping, deps.clock).catch(() => {
      throw new Stopping()
    })
  }
}

export const isUnavailable = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'SERVICE_UNAVAILABLE'
