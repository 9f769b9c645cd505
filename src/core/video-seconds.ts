/** The video lengths a model accepts. If `values` is given, only those are accepted. */
export type VideoSeconds = { min: number; max: number; default: number; values?: number[] }

/** The rule that this length violates, as the end of a sentence; undefined if there is none. */
export function secondsProblem(
  seconds: number,
  { min, max, values }: VideoSeconds,
): string | undefined {
  if (values) return values.includes(seconds) ? undefined : `must be one of ${values.join(', ')}`
  return seconds < min || seconds > max ? `must be from ${min} to ${max}` : undefined
}
