/** Repeats `work`, one at a time, until the returned function is called; that one waits for the last. */
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
