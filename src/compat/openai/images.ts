import { checkCapabilities, chooseModel } from '#api/model-choice.ts'
import type { ImageOrder, MadeImages, MakeImages } from '#api/public/tasks/awaited-images.ts'
import type { Catalogue } from '#core/catalogue.ts'
import {
  carriedBy,
  type MediaOption,
  type MediaOptions,
  mediaOptions,
  optionProblem,
} from '#core/media-options.ts'
import { isRecord } from '#core/record.ts'
import { abortSignalOf } from '#core/stop.ts'
import type { FormFields } from '#http/form-body.ts'
import type { CompatAnswer, CompatCaller } from '../compat-api.ts'
import {
  badParameter,
  type Fields,
  given,
  optionalCount,
  optionalString,
  requiredString,
} from '../parameters.ts'
import { readSize } from './image-size.ts'
import { onlyAllowed, refuseUnsupported, type Unsupported } from './unsupported.ts'

type Deps = { catalogue: Catalogue; makeImages: MakeImages }

/** OpenAI's own limit. */
const maxImages = 10

const unsupported: Unsupported = {
  stream: [onlyAllowed(false, 'false'), 'is not supported: images are sent when they are ready'],
  partial_images: [onlyAllowed(0, '0'), 'is not supported'],
  style: [onlyAllowed(), 'is not supported'],
  frame_count: [onlyAllowed(1, '1'), 'is not supported'],
  svg: [onlyAllowed(), 'is not supported'],
  mask: [onlyAllowed(), 'is not supported: describe the change in the prompt'],
  markup: [onlyAllowed(), 'is not supported'],
  input_fidelity: [onlyAllowed('low'), 'is not supported'],
}

/** For models that do not have them: the values that only restate what is done anyway. */
const unsupportedOptions: Record<MediaOption, Unsupported[string]> = {
  background: [onlyAllowed('auto', 'opaque'), 'may only be "auto" or "opaque" for this model'],
  output_format: [onlyAllowed('png'), 'may only be "png" for this model'],
  output_compression: [onlyAllowed(100), 'is not supported by this model'],
  moderation: [onlyAllowed('auto'), 'may only be "auto" for this model'],
  seed: [onlyAllowed(), 'is not supported by this model'],
  negative_prompt: [onlyAllowed(), 'is not supported by this model'],
}

const readFields = new Set([
  ...['model', 'prompt', 'n', 'size', 'quality', 'response_format', 'user'],
  ...Object.keys(unsupported),
  ...mediaOptions,
])

/** As OpenAI's API does: a parameter is used or refused by name. */
function refuseUnknown(body: Fields) {
  const unknown = Object.keys(body).find((name) => !readFields.has(name) && body[name] != null)
  if (unknown !== undefined) {
    throw badParameter(unknown.slice(0, 100), 'is not supported', 'UNSUPPORTED_PARAMETER')
  }
}

function readOptions(body: Fields, carried: readonly MediaOption[]): MediaOptions {
  const options: Record<string, unknown> = {}
  for (const name of mediaOptions) {
    const value = given(body, name)
    if (value === undefined) continue
    const isCarried = carried.includes(name)
    const problem = isCarried ? optionProblem(name, value) : undefined
    if (problem !== undefined) throw badParameter(name, problem)
    if (isCarried) options[name] = value
    else refuseUnsupported(body, { [name]: unsupportedOptions[name] })
  }
  return options
}

export async function answerGeneration(
  deps: Deps,
  body: unknown,
  caller: CompatCaller,
): Promise<CompatAnswer> {
  if (!isRecord(body)) throw badParameter('', 'must be a JSON object')
  return answerImages(deps, body, caller)
}

/** The same, with pictures to start from. All fields of a form are text, even numbers. */
export async function answerEdit(
  deps: Deps,
  { values, files }: FormFields,
  caller: CompatCaller,
): Promise<CompatAnswer> {
  const other = files.find(({ name }) => name !== 'image' && name !== 'image[]')
  const pictures = files.filter((file) => file !== other)
  const body: Fields = { ...values, ...(other ? { [other.name]: 'a file' } : {}) }
  for (const name of ['n', 'seed', 'output_compression']) {
    if (typeof values[name] === 'string') body[name] = Number(values[name])
  }
  if (pictures.length === 0) throw badParameter('image', 'is required')
  // The type is detected from the content; the one in the form is only the client's claim.
  const imageUrls = pictures.map(
    ({ bytes }) => `data:application/octet-stream;base64,${base64Of(bytes)}`,
  )
  return answerImages(deps, body, caller, imageUrls)
}

async function answerImages(
  { catalogue, makeImages }: Deps,
  body: Fields,
  { principal, signal, countMore }: CompatCaller,
  imageUrls: readonly string[] = [],
): Promise<CompatAnswer> {
  const modelId = requiredString(body, 'model')
  const prompt = requiredString(body, 'prompt')
  refuseUnsupported(body, unsupported)
  refuseUnknown(body)
  const count = optionalCount(body, 'n') ?? 1
  if (count > maxImages) throw badParameter('n', `may be at most ${maxImages}`)
  const wants = readFormat(body)
  const { model, fallbacks } = chooseModel(catalogue, modelId, ['IMAGE'])
  const { capabilities } = model
  const { aspectRatio, sampleSize } = readSize(optionalString(body, 'size'), capabilities)
  const quality = readQuality(body, capabilities.imageQualities)
  const served = [model, ...fallbacks.map((id) => catalogue.known(id)?.model)]
  const options = readOptions(body, carriedBy(served, imageUrls.length))
  checkCapabilities(capabilities, { images: imageUrls.length })
  const { maxInputImages = 1 } = capabilities
  if (imageUrls.length > maxInputImages) {
    const may = `exceeds the model's limit on input images, which is ${maxInputImages}`
    throw badParameter('image', may, 'UNSUPPORTED_PARAMETER')
  }
  const [imageUrl, ...referenceUrls] = imageUrls
  const order: ImageOrder = {
    ...{ principal, modelId: model.id, count, wants },
    request: {
      prompt,
      ...(aspectRatio === undefined ? {} : { aspectRatio }),
      ...(sampleSize === undefined ? {} : { sampleSize }),
      ...(quality === undefined ? {} : { quality }),
      ...(Object.keys(options).length > 0 ? { options } : {}),
      ...(imageUrl === undefined ? {} : { imageUrl, referenceUrls }),
    },
  }
  const excess = countMore(count - 1)
  if (excess && count > excess.most) {
    throw badParameter('n', `may be at most ${excess.most}, your limit of images per minute`)
  }
  if (excess) throw excess.failure
  return { body: imagesAnswer(await makeImages(order, { signal: abortSignalOf(signal) })) }
}

function readFormat(body: Fields): ImageOrder['wants'] {
  const format = given(body, 'response_format') ?? 'b64_json'
  if (format === 'b64_json') return 'bytes'
  if (format === 'url') return 'url'
  throw badParameter('response_format', 'must be b64_json or url')
}

/** `auto` leaves the choice to the model, even if the model does not know that value. */
function readQuality(body: Fields, known: string[] | undefined): string | undefined {
  const quality = optionalString(body, 'quality')
  if (quality === undefined || (quality === 'auto' && !known?.includes('auto'))) return undefined
  if (!known || known.includes(quality)) return quality
  const may = `must be one of ${known.join(', ')} for this model`
  throw badParameter('quality', may, 'UNSUPPORTED_PARAMETER')
}

/**
 * `task_id`, `size` and `cost` (in US dollars) are our additions; OpenAI's clients ignore them. The signed
 * `url` is sent even together with the bytes, because it costs nothing.
 */
const imagesAnswer = ({ images, costMicros }: MadeImages) => ({
  created: Math.floor(Date.now() / 1000),
  data: images.map(({ taskId, url, size, bytes }) => ({
    ...(bytes ? { b64_json: base64Of(bytes) } : {}),
    url,
    ...(size === undefined ? {} : { size }),
    task_id: taskId,
  })),
  cost: costMicros === null ? null : costMicros / 1e6,
})

const base64Of = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
