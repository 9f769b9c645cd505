import { systemClock, type Timers } from './clock.ts'

/**
 * Repeats `work`, never twice at the same time, until the returned function is called. That
 * function waits for a round in progress.
 */
export function repeat(
  everyMs: number,
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
  timers: Pick<Timers, 'every'> = systemClock,
): () => Promise<void> {
  let current: Promise<unknown> | null = null
  const cancel = timers.every(everyMs, () => {
    current ??= work()
      .catch(onError)
      .finally(() => {
        current = null
      })
  })
  return async () => {
    cancel()
    await current
  }
}
