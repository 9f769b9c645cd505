import { toDataUrl } from '#providers/media-encoding.ts'
import type { ImageRequest, MediaRequest, VideoRequest } from '#providers/provider.ts'
import type { FalInput } from './wire.ts'

/** Each fal model has its own names for inputs. Models not listed get the most common names. */
type Spelling = {
  /** The model's endpoint for requests with a picture, if it is a separate one. */
  withImage?: string
  image: 'image_url' | 'image_urls' | 'start_image_url'
  shape: 'aspect_ratio' | 'image_size'
  seconds: 'digits' | 'suffixed'
}

const common: Spelling = { image: 'image_url', shape: 'aspect_ratio', seconds: 'digits' }

const spellings: Record<string, Spelling> = {
  'fal-ai/nano-banana-2': {
    ...common,
    withImage: 'fal-ai/nano-banana-2/edit',
    image: 'image_urls',
  },
  'fal-ai/flux/schnell': { ...common, shape: 'image_size' },
  'fal-ai/kling-video/v3/4k/text-to-video': {
    ...common,
    withImage: 'fal-ai/kling-video/v3/4k/image-to-video',
    image: 'start_image_url',
  },
  'fal-ai/veo3.1/fast': {
    ...common,
    withImage: 'fal-ai/veo3.1/fast/image-to-video',
    seconds: 'suffixed',
  },
}

/** fal's named sizes, by aspect ratio. */
const imageSizes: Record<string, string> = {
  '1:1': 'square_hd',
  '4:3': 'landscape_4_3',
  '16:9': 'landscape_16_9',
  '3:4': 'portrait_4_3',
  '9:16': 'portrait_16_9',
}

export function queueCall(request: MediaRequest): { path: string; input: FalInput } {
  const spelling = spellings[request.model] ?? common
  const model = (request.image && spelling.withImage) ?? request.model
  const input: FalInput = {
    prompt: request.prompt,
    ...request.options,
    ...(request.kind === 'IMAGE' ? imageInput(request, spelling) : videoInput(request, spelling)),
  }
  if (request.image) {
    const url = toDataUrl(request.image)
    input[spelling.image] = spelling.image === 'image_urls' ? [url, ...furtherUrls(request)] : url
  }
  return { path: `/${model.split('/').map(encodeURIComponent).join('/')}`, input }
}

const furtherUrls = (request: MediaRequest): string[] =>
  request.kind === 'IMAGE' ? (request.references ?? []).map(toDataUrl) : []

function imageInput({ aspectRatio, quality, sampleSize }: ImageRequest, { shape }: Spelling) {
  const size = aspectRatio === undefined ? undefined : imageSizes[aspectRatio]
  return {
    ...(shape === 'aspect_ratio' && aspectRatio !== undefined ? { aspect_ratio: aspectRatio } : {}),
    ...(shape === 'image_size' && size !== undefined ? { image_size: size } : {}),
    ...(quality === undefined ? {} : { quality }),
    ...(sampleSize === undefined ? {} : { resolution: sampleSize }),
  }
}

function videoInput(request: VideoRequest, spelling: Spelling): FalInput {
  const { aspectRatio, seconds, resolution, generateAudio } = request
  return {
    ...(aspectRatio === undefined ? {} : { aspect_ratio: aspectRatio }),
    ...(seconds === undefined
      ? {}
      : { duration: spelling.seconds === 'suffixed' ? `${seconds}s` : `${seconds}` }),
    ...(resolution === undefined ? {} : { resolution }),
    ...(generateAudio === undefined ? {} : { generate_audio: generateAudio }),
  }
}
