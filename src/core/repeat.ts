/**
 * Repeats `work`, never twice at the same time, until the returned function is called. That
 * function waits for a round in progress.
 */
export function repeat(
  everyMs: number,
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let current: Promise<unknown> | null = null
  const timer = setInterval(() => {
    current ??= work()
      .catch(onError)
      .finally(() => {
        current = null
      })
  }, everyMs)
  return async () => {
    clearInterval(timer)
    await current
  }
}
