/** How long a video of a model can be. Where `values` is given, only those lengths are taken. */
export type VideoSeconds = { min: number; max: number; default: number; values?: number[] }

/** What a length has to be, as the end of a sentence; undefined if this one will do. */
export function secondsProblem(
  seconds: number,
  { min, max, values }: VideoSeconds,
): string | undefined {
  if (values) return values.includes(seconds) ? undefined : `must be one of ${values.join(', ')}`
  return seconds < min || seconds > max ? `must be from ${min} to ${max}` : undefined
}
