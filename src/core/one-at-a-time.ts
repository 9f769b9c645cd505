/**
 * Does `work`, never twice at once. Whoever asks while it is under way shares one more round after
 * it, so that what came up too late for the first is seen by the second.
 */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined
  let isAskedAgain = false
  const rounds = async () => {
    try {
      do {
        isAskedAgain = false
        await work()
      } while (isAskedAgain)
    } finally {
      current = undefined
    }
  }
  return () => {
    if (current) isAskedAgain = true
    else current = rounds()
    return current
  }
}
