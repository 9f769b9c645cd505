const everyMs = 500

/**
 * A signal to npm ends npm and the shell between us, and reaches nobody here: being orphaned
 * tells. Whoever starts a server without npm may leave it behind on purpose.
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
