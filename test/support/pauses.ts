import { setTimeout } from 'node:timers/promises'

/**
 * The pauses between looks at a state, which grow to a quarter of the time waited. A look is a
 * request: a hundred of them a second take half a core, from what is waited for among others.
 */
export function createPauses(leastMs = 10): () => Promise<void> {
  const sinceMs = performance.now()
  return () => setTimeout(Math.min(250, Math.max(leastMs, (performance.now() - sinceMs) / 4)))
}
