import { after } from './clock.ts'

/**
 * What `work` brings, or what `late` returns or throws once `ms` have passed without it. The work
 * itself goes on; nobody waits for it any more, and its failure is nobody's.
 */
export function within<T, Late = never>(
  ms: number,
  work: Promise<T>,
  late: () => Late,
): Promise<T | Late> {
  return new Promise((resolve, reject) => {
    const cancel = after(ms, () => {
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
