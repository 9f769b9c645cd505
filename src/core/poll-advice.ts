/** How long a client should wait before it polls again: briefly at first, longer later. */
export function retryAfterSeconds(ageMs: number, options: { isTerminal: boolean }): number {
  if (options.isTerminal) return 0
  if (ageMs < 10_000) return 1
  if (ageMs < 60_000) return 2
  if (ageMs < 600_000) return 5
  return 15
}
