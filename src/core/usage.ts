// What one call to a model used, in tokens as its provider counted them. The ledger stores it
// whole, because every part has its own price. A part is always included in its whole: cached
// tokens in the input, reasoning in the output.

export type UsagePart = (typeof usageParts)[number]['name']

export type Usage = {
  inputTokens: number
  outputTokens: number
  /** Searches on the web that the vendor made for the model. */
  searches?: number
} & {
  [Part in UsagePart]?: number
}

/** Each part comes after the wholes that contain it, so that one pass can bound them all. */
export const usageParts = [
  { name: 'cachedInputTokens', within: ['inputTokens'] },
  { name: 'cacheWriteTokens', within: ['inputTokens'] },
  /** Cached for an hour rather than minutes, at a higher price. */
  { name: 'cacheWrite1hTokens', within: ['cacheWriteTokens'] },
  { name: 'inputImageTokens', within: ['inputTokens'] },
  { name: 'inputAudioTokens', within: ['inputTokens'] },
  { name: 'cachedImageTokens', within: ['cachedInputTokens', 'inputImageTokens'] },
  { name: 'cachedAudioTokens', within: ['cachedInputTokens', 'inputAudioTokens'] },
  { name: 'reasoningTokens', within: ['outputTokens'] },
  { name: 'outputImageTokens', within: ['outputTokens'] },
  { name: 'outputAudioTokens', within: ['outputTokens'] },
] as const

const partNames: ReadonlySet<string> = new Set(usageParts.map(({ name }) => name))

/** Most calls have no parts, and then nothing has to be bounded or priced separately. */
export function hasParts(used: Readonly<Partial<Record<UsagePart, number>>>): boolean {
  // Goes through what is there, because every chat asks three times and most have two counts.
  for (const name in used) if (used[name as UsagePart] && partNames.has(name)) return true
  return false
}

/** Leaves out parts of 0 and caps each part at its whole, whatever the provider reports. */
export function usageOf(
  inputTokens: number,
  outputTokens: number,
  parts?: Readonly<Partial<Record<UsagePart, number>>>,
): Usage {
  const usage: Usage = { inputTokens, outputTokens }
  if (!parts || !hasParts(parts)) return usage
  for (const { name, within } of usageParts) {
    let count = parts[name] ?? 0
    for (const whole of within) count = Math.min(count, usage[whole] ?? 0)
    if (count > 0) usage[name] = count
  }
  return usage
}

/** The combined usage of two calls. */
export function addUsage(one: Usage, other: Usage): Usage {
  const sum: Usage = {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  }
  for (const { name } of usageParts) {
    const count = (one[name] ?? 0) + (other[name] ?? 0)
    if (count > 0) sum[name] = count
  }
  const searches = (one.searches ?? 0) + (other.searches ?? 0)
  if (searches > 0) sum.searches = searches
  return sum
}

export const totalTokens = ({ inputTokens, outputTokens }: Usage): number =>
  inputTokens + outputTokens
