/**
 * Runs `work`, never twice at the same time. Calls made during a run share one more run after it:
 * whatever changed too late for the first run is seen by the second.
 */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined
  let mustRunAgain = false
  const runAll = async () => {
    try {
      do {
        mustRunAgain = false
        await work()
      } while (mustRunAgain)
    } finally {
      current = undefined
    }
  }
  return () => {
    if (current) mustRunAgain = true
    else current = runAll()
    return current
  }
}
