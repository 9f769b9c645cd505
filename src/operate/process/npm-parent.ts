const everyMs = 500

/**
 * A signal to npm ends npm and its shell but does not reach this process, which only notices that
 * it was orphaned. A server that was started without npm may have been left running on purpose.
 */
export function onOrphaned(env: Record<string, string | undefined>, stop: () => void): void {
  if (env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    stop()
  }, everyMs)
  watch.unref()
}
