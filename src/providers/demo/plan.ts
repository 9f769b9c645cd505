import { readPictureHeader } from '#core/picture-header.ts'
import { type MediaInput, type MediaRequest, ProviderError } from '../provider.ts'
import type { Picture } from './art/picture.ts'
import * as offered from './models.ts'

/** The job of a worker: a request with every default filled in. */
export type Job = { prompt: string; width: number; height: number; picture?: Picture } & (
  | { kind: 'IMAGE'; finish: 'plain' | 'rich'; mask?: Picture }
  | { kind: 'VIDEO'; seconds: number }
)

// Anything beyond this would only change the random seed.
const maxPromptLength = 32_000
// A decoded picture takes four bytes per pixel in the worker.
const maxPictureBytes = 20 * 1024 * 1024
const maxPicturePixels = 40_000_000

const refuse = (message: string) =>
  new ProviderError('invalid', { outcome: 'rejected', message: `embedded: ${message}` })

const longSides = { '512': 512, '1K': 1024, '2K': 2048 }
const shortSides = { '360p': 360, '480p': 480, '720p': 720 }

export function planJob(request: MediaRequest): Job {
  const prompt = request.prompt.slice(0, maxPromptLength)
  const picture = request.image ? { picture: checkPicture(request.image) } : {}
  if (request.kind === 'IMAGE') {
    const { quality = 'standard', sampleSize = '1K' } = request
    const mask = request.mask ? { mask: checkPicture(request.mask) } : {}
    const aspect =
      mask.mask && request.aspectRatio === undefined
        ? mask.mask.width / mask.mask.height
        : aspectOf(request.aspectRatio ?? '1:1')
    const isHigh = choose('image quality', offered.imageQualities, quality) === 'high'
    const long = longSides[choose('image size', offered.imageSampleSizes, sampleSize)]
    const width = Math.max(1, Math.round(Math.min(long, long * aspect)))
    const height = Math.max(1, Math.round(Math.min(long, long / aspect)))
    const finish = isHigh ? 'rich' : 'plain'
    return { kind: 'IMAGE', prompt, width, height, finish, ...picture, ...mask }
  }
  const { min, max, default: usual } = offered.videoSeconds
  const { resolution = '480p', seconds = usual } = request
  const aspect = aspectOf(request.aspectRatio ?? '16:9')
  const lines = shortSides[choose('video resolution', offered.videoResolutions, resolution)]
  if (!Number.isInteger(seconds) || seconds < min || seconds > max) {
    throw refuse(`a video must be ${min} to ${max} whole seconds long`)
  }
  const even = (value: number) => Math.round(value / 2) * 2
  const width = even(Math.max(lines, lines * aspect))
  const height = even(Math.max(lines, lines / aspect))
  return { kind: 'VIDEO', prompt, width, height, seconds, ...picture }
}

function choose<T extends string>(what: string, options: readonly T[], asked: string): T {
  const found = options.find((option) => option === asked)
  if (found === undefined) throw refuse(`the ${what} must be one of ${options.join(', ')}`)
  return found
}

function aspectOf(asked: string): number {
  const ratio = choose('aspect ratio', offered.aspectRatios, asked)
  const [width = 1, height = 1] = ratio.split(':').map(Number)
  return width / height
}

function checkPicture({ bytes }: MediaInput): Picture {
  const header = readPictureHeader(bytes)
  if (!header || header.type === 'webp') throw refuse('the input picture must be PNG, JPEG or GIF')
  if (bytes.length > maxPictureBytes || header.width * header.height > maxPicturePixels) {
    throw refuse('the input picture is larger than 20 MiB or 40 megapixels')
  }
  return { ...header, bytes }
}
