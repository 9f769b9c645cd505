import { systemClock, type Timers } from './clock.ts'

/**
 * Resolves to the result of `work`, or to what `late` returns or throws after `ms`. The work itself
 * continues, but nobody waits for it any more, and its failure is ignored.
 */
export function within<T, Late = never>(
  ms: number,
  work: Promise<T>,
  late: () => Late,
  timers: Pick<Timers, 'after'> = systemClock,
): Promise<T | Late> {
  return new Promise((resolve, reject) => {
    const cancel = timers.after(ms, () => {
      try {
        resolve(late())
      } catch (error) {
        reject(error)
      }
    })
    work.then(
      (value) => {
        cancel()
        resolve(value)
      },
      (error) => {
        cancel()
        reject(error)
      },
    )
  })
}
