// OpenAI expects sizes in pixels; callers give an aspect ratio and a size such as 2K or 720p.
import type { ImageRequest, VideoRequest } from '#providers/provider.ts'

/** The longer side. 1536 yields exactly the sizes of models that support only fixed sizes. */
const longSides: Record<string, number> = { '1K': 1536, '2K': 2048, '4K': 3840 }
const squareSides: Record<string, number> = { '1K': 1024, '2K': 2048, '4K': 3840 }
/** gpt-image-2 accepts at most this many pixels, and sides that are multiples of 16. */
const imageMaxPixels = 8_294_400
const imageGrain = 16

/** `undefined` leaves the choice to the provider. */
export function imageSize({ aspectRatio, sampleSize }: ImageRequest): string | undefined {
  if (sampleSize !== undefined && /^\d+x\d+$/.test(sampleSize)) return sampleSize
  const ratio = parseRatio(aspectRatio ?? (sampleSize === undefined ? undefined : '1:1'))
  if (ratio === undefined) return undefined
  const scale = sampleSize ?? '1K'
  const long = (ratio === 1 ? squareSides[scale] : longSides[scale]) ?? 1536
  const short = long * Math.min(ratio, 1 / ratio)
  const shrink = Math.min(1, Math.sqrt(imageMaxPixels / (long * short)))
  // Rounding up could exceed the limit that made it shrink.
  const toGrain = shrink < 1 ? Math.floor : Math.round
  const fit = (side: number) => toGrain((side * shrink) / imageGrain) * imageGrain
  return ratio >= 1 ? `${fit(long)}x${fit(short)}` : `${fit(short)}x${fit(long)}`
}

/** "720p" names the shorter side; encoders require even numbers. */
export function videoSize({ aspectRatio, resolution }: VideoRequest): string | undefined {
  if (resolution !== undefined && /^\d+x\d+$/.test(resolution)) return resolution
  const short = /^(?<lines>\d+)p$/.exec(resolution ?? '720p')?.groups?.lines
  const ratio = parseRatio(aspectRatio ?? (resolution === undefined ? undefined : '16:9'))
  if (short === undefined || ratio === undefined) return undefined
  const long = Math.round((Number(short) * Math.max(ratio, 1 / ratio)) / 2) * 2
  return ratio >= 1 ? `${long}x${short}` : `${short}x${long}`
}

function parseRatio(words: string | undefined): number | undefined {
  const match = /^(?<width>[1-9]\d{0,3}):(?<height>[1-9]\d{0,3})$/.exec(words ?? '')
  return match?.groups ? Number(match.groups.width) / Number(match.groups.height) : undefined
}
