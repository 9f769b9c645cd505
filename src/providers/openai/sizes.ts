// OpenAI expects sizes in pixels; callers give an aspect ratio and a size such as 2K or 720p.
import { parseRatio, pixelsOf } from '#core/image-size.ts'
import type { ImageRequest, VideoRequest } from '#providers/provider.ts'

/** `undefined` leaves the choice to the provider. */
export function imageSize({ aspectRatio, sampleSize }: ImageRequest): string | undefined {
  if (sampleSize !== undefined && /^\d+x\d+$/.test(sampleSize)) return sampleSize
  const ratio = aspectRatio ?? (sampleSize === undefined ? undefined : '1:1')
  return ratio === undefined ? undefined : pixelsOf(ratio, sampleSize)
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
