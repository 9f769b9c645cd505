import { readPictureHeader } from '#core/picture-header.ts'
import { type MediaInput, type MediaRequest, ProviderError } from '../provider.ts'
import type { Picture } from './art/finish.ts'
import {
  aspectRatios,
  imageQualities,
  imageSampleSizes,
  videoResolutions,
  videoSeconds,
} from './models.ts'

/** What a worker is told: a request with every choice made. */
export type Job = { prompt: string; width: number; height: number; picture?: Picture } & (
  | { kind: 'IMAGE'; finish: 'plain' | 'rich' }
  | { kind: 'VIDEO'; seconds: number }
)

const maxPromptLength = 32_000
// A decoded picture takes four bytes a pixel, in a worker.
const maxPictureBytes = 20 * 1024 * 1024
const maxPicturePixels = 40_000_000

const refuse = (message: string) =>
  new ProviderError('invalid', { outcome: 'rejected', message: `embedded: ${message}` })

export function planJob(request: MediaRequest): Job {
  // Beyond this only the hash of a prompt would grow.
  const prompt = request.prompt.slice(0, maxPromptLength)
  const picture = request.image ? { picture: checkPicture(request.image) } : {}
  if (request.kind === 'IMAGE') {
    const aspect = aspectOf(request.aspectRatio ?? '1:1')
    const quality = choose('image quality', imageQualities, request.quality ?? 'standard')
    const long = longSides[choose('image size', imageSampleSizes, request.sampleSize ?? '1K')]
    const width = aspect >= 1 ? long : Math.round(long * aspect)
    const height = aspect >= 1 ? Math.round(long / aspect) : long
    const finish = quality === 'high' ? 'rich' : 'plain'
    return { kind: 'IMAGE', prompt, width, height, finish, ...picture }
  }
  const aspect = aspectOf(request.aspectRatio ?? '16:9')
  const short = lines[choose('video resolution', videoResolutions, request.resolution ?? '480p')]
  const seconds = request.seconds ?? videoSeconds.default
  if (!Number.isInteger(seconds) || seconds < videoSeconds.min || seconds > videoSeconds.max) {
    throw refuse(`a video is ${videoSeconds.min} to ${videoSeconds.max} whole seconds long`)
  }
  const even = (value: number) => Math.round(value / 2) * 2
  const width = even(aspect >= 1 ? short * aspect : short)
  const height = even(aspect >= 1 ? short : short / aspect)
  return { kind: 'VIDEO', prompt, width, height, seconds, ...picture }
}

const longSides: Record<(typeof imageSampleSizes)[number], number> = {
  '512': 512,
  '1K': 1024,
  '2K': 2048,
}
const lines: Record<(typeof videoResolutions)[number], number> = {
  '360p': 360,
  '480p': 480,
  '720p': 720,
}

function choose<T extends string>(what: string, offered: readonly T[], asked: string): T {
  const found = offered.find((option) => option === asked)
  if (found === undefined) throw refuse(`the ${what} is one of ${offered.join(', ')}`)
  return found
}

function aspectOf(asked: string): number {
  const [width, height] = choose('aspect ratio', aspectRatios, asked).split(':').map(Number)
  return (width ?? 1) / (height ?? 1)
}

function checkPicture({ bytes }: MediaInput): Picture {
  const header = readPictureHeader(bytes)
  if (!header || header.type === 'webp') throw refuse('the input picture must be PNG, JPEG or GIF')
  if (bytes.length > maxPictureBytes || header.width * header.height > maxPicturePixels) {
    throw refuse('the input picture is larger than 20 MiB or 40 megapixels')
  }
  return { ...header, bytes }
}
