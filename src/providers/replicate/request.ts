import { createHash } from 'node:crypto'
import { toDataUrl } from '#providers/media-encoding.ts'
import type { MediaRequest } from '#providers/provider.ts'
import type { PredictionInput } from './wire.ts'

/** Each model has its own names for inputs. Models not listed get the most common names. */
type Spelling = {
  image: 'image' | 'input_images'
  /** Accepts a `seed`, which we use to mark a submission. */
  seed: boolean
  /** Usually done before the first poll, so that waiting for the answer saves a poll. */
  quick: boolean
}

const common: Spelling = { image: 'image', seed: false, quick: false }

const spellings: Record<string, Spelling> = {
  'black-forest-labs/flux-schnell': { image: 'image', seed: true, quick: true },
  'black-forest-labs/flux-2-pro': { image: 'input_images', seed: true, quick: false },
  'bytedance/seedance-2.0-fast': { image: 'image', seed: true, quick: false },
}

/** Several times as long as a quick model takes, and little compared to a task's time limit. */
const waitSeconds = 5

/**
 * If the connection breaks while we wait, the answer is lost, and the id of the prediction with
 * it. So we wait only for models whose predictions can be found again by their mark.
 */
export function waitHeaders({ model, options }: MediaRequest): Record<string, string> | undefined {
  const { seed, quick } = spellings[model] ?? common
  return seed && quick && options?.seed === undefined
    ? { prefer: `wait=${waitSeconds}` }
    : undefined
}

export const predictionPath = (model: string): string =>
  `/v1/models/${model.split('/').map(encodeURIComponent).join('/')}/predictions`

export function predictionInput(request: MediaRequest, taskId: string): PredictionInput {
  const spelling = spellings[request.model] ?? common
  const input: PredictionInput = { prompt: request.prompt, ...request.options }
  if (request.aspectRatio !== undefined) input.aspect_ratio = request.aspectRatio
  if (request.image) {
    const url = toDataUrl(request.image)
    const further = request.kind === 'IMAGE' ? (request.references ?? []).map(toDataUrl) : []
    input[spelling.image] = spelling.image === 'image' ? url : [url, ...further]
  }
  if (request.kind === 'VIDEO') {
    if (request.seconds !== undefined) input.duration = request.seconds
    if (request.resolution !== undefined) input.resolution = request.resolution
    if (request.generateAudio !== undefined) input.generate_audio = request.generateAudio
  } else {
    if (request.quality !== undefined) input.quality = request.quality
    if (request.sampleSize !== undefined) input.resolution = request.sampleSize
  }
  const mark = markOf(request, taskId)
  if (mark !== undefined) input.seed = mark
  return input
}

/**
 * The API accepts no client reference, so a submission whose answer was lost could not be told
 * from an identical one. A seed derived from the task (31 bits) identifies it in the listing,
 * unless the caller gave a seed, which others may have given too.
 */
export function markOf({ model, options }: MediaRequest, taskId: string): number | undefined {
  if (spellings[model]?.seed !== true || options?.seed !== undefined) return undefined
  return createHash('sha256').update(taskId).digest().readUInt32BE(0) >>> 1
}
