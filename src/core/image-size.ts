// Sizes of pictures in pixels, by aspect ratio and a name such as 2K.

/** The longer side. 1536 yields exactly the sizes of models that support only fixed sizes. */
const longSides: Record<string, number> = { '512': 768, '1K': 1536, '2K': 2048, '4K': 3840 }
const squareSides: Record<string, number> = { '512': 512, '1K': 1024, '2K': 2048, '4K': 3840 }
/** gpt-image-2 accepts at most this many pixels, and sides that are multiples of 16. */
const imageMaxPixels = 8_294_400
const imageGrain = 16

/** As it is asked for from vendors that expect pixels. Undefined if the ratio is none. */
export function pixelsOf(aspectRatio: string, sizeName = '1K'): string | undefined {
  const ratio = parseRatio(aspectRatio)
  if (ratio === undefined) return undefined
  const long = (ratio === 1 ? squareSides[sizeName] : longSides[sizeName]) ?? 1536
  const short = long * Math.min(ratio, 1 / ratio)
  const shrink = Math.min(1, Math.sqrt(imageMaxPixels / (long * short)))
  // Rounding up could exceed the limit that made it shrink.
  const toGrain = shrink < 1 ? Math.floor : Math.round
  const fit = (side: number) => toGrain((side * shrink) / imageGrain) * imageGrain
  return ratio >= 1 ? `${fit(long)}x${fit(short)}` : `${fit(short)}x${fit(long)}`
}

/** Width per height. */
export function parseRatio(words: string | undefined): number | undefined {
  const match = /^(?<width>[1-9]\d{0,3}):(?<height>[1-9]\d{0,3})$/.exec(words ?? '')
  return match?.groups ? Number(match.groups.width) / Number(match.groups.height) : undefined
}
