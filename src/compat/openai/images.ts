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
import { withRoutes } from '#core/routed-catalogue.ts'
import { abortSignalOf } from '#core/stop.ts'
import type { FormFields } from '#http/form-body.ts'
import type { CompatAnswer, CompatCaller } from '../compat-api.ts'
import {
  anything,
  carried,
  count,
  FieldProblem,
  type Fields,
  ignored,
  oneOf,
  onlyHarmless,
  problemAt,
  problemFailure,
  type Read,
  type Row,
  readFields,
  reading,
  record,
  refused,
  required,
  rowsOf,
  someText,
  text,
} from '../field-table.ts'
import { readSize } from './image-size.ts'

type Deps = { catalogue: Catalogue; makeImages: MakeImages }

/** OpenAI's own limit. */
const maxImages = 10

type Asked = {
  modelId?: string
  prompt?: string
  count?: number
  size?: string
  quality?: string
  format?: 'b64_json' | 'url'
  options: Partial<Record<MediaOption, unknown>>
}

const row = rowsOf<Asked>()

const imageCount: Read<number> = (value) => {
  const wanted = count(value)
  if (wanted <= maxImages) return wanted
  throw new FieldProblem(`may be at most ${maxImages}`)
}

/** What it may be depends on the model. */
const option = (name: MediaOption): Row<Asked> =>
  carried('the same, for models that have it', anything, ({ options }, value) => {
    options[name] = value
  })

const unnamed = ignored('it names your user to the vendor, and is not passed on')

export const imageFields = {
  model: row('modelId', 'the model, by its id here', someText),
  prompt: row('prompt', 'what to show', someText),
  n: row('count', `how many images, at most ${maxImages}`, imageCount),
  size: row('size', 'the size, if the model makes it', text),
  quality: row('quality', 'the quality, if the model has it', text),
  response_format: row('format', 'bytes or an address', oneOf('b64_json', 'url')),
  background: option('background'),
  output_format: option('output_format'),
  output_compression: option('output_compression'),
  moderation: option('moderation'),
  seed: option('seed'),
  negative_prompt: option('negative_prompt'),
  user: unnamed,
  safety_identifier: unnamed,
  stream: refused(
    'is not supported: images are sent when they are ready',
    onlyHarmless(false, 'false'),
  ),
  partial_images: refused('is not supported', onlyHarmless(0, '0')),
  style: refused('is not supported: describe it in the prompt', onlyHarmless()),
  complexity: refused('is not supported: describe it in the prompt', onlyHarmless()),
  frame_count: refused('is not supported: make a video', onlyHarmless(1, '1')),
  frame_duration_ms: refused('is not supported: make a video', onlyHarmless()),
  svg: refused('is not supported', onlyHarmless()),
}

/** In place of the content of a file. */
const aFile = Symbol('file')

const onlyAsFile = (to: string): Row<Asked> =>
  carried(
    to,
    (value) => {
      if (value !== aFile) throw new FieldProblem('must be a file of the form')
    },
    () => {},
  )

export const editFields = {
  ...imageFields,
  image: onlyAsFile('the pictures to start from'),
  mask: onlyAsFile(
    'a PNG of the size of the first picture, transparent where that may change; for models with the capability `mask`',
  ),
  markup: refused('is not supported: describe the change in the prompt', onlyHarmless()),
  input_fidelity: refused('is not supported', onlyHarmless('low')),
}

/** For models that do not have them: the values that only restate what is done anyway. */
const harmlessOptions: Record<MediaOption, { values: unknown[]; say: string }> = {
  background: { values: ['auto', 'opaque'], say: 'may only be "auto" or "opaque" for this model' },
  output_format: { values: ['png'], say: 'may only be "png" for this model' },
  output_compression: { values: [100], say: 'is not supported by this model' },
  moderation: { values: ['auto'], say: 'may only be "auto" for this model' },
  seed: { values: [], say: 'is not supported by this model' },
  negative_prompt: { values: [], say: 'is not supported by this model' },
}

function optionsFor(given: Asked['options'], carriedOnes: readonly MediaOption[]): MediaOptions {
  const options: Record<string, unknown> = {}
  for (const name of mediaOptions) {
    const value = given[name]
    if (value === undefined) continue
    if (!carriedOnes.includes(name)) {
      const { values, say } = harmlessOptions[name]
      if (!values.includes(value)) throw problemFailure(name, say, 'UNSUPPORTED_PARAMETER')
      continue
    }
    const problem = optionProblem(name, value)
    if (problem !== undefined) throw problemFailure(name, problem)
    options[name] = value
  }
  return options
}

export async function answerGeneration(
  deps: Deps,
  body: unknown,
  caller: CompatCaller,
): Promise<CompatAnswer> {
  const asked = reading('brackets', () =>
    readFields<Asked>(imageFields, record(body), { options: {} }),
  )
  return answerImages(deps, asked, caller)
}

/** The same, with pictures to start from. All fields of a form are text, even numbers. */
export async function answerEdit(
  deps: Deps,
  { values, lists, files }: FormFields,
  caller: CompatCaller,
): Promise<CompatAnswer> {
  const pictures = files.filter(({ name }) => name === 'image' || name === 'image[]')
  const [mask, second] = files.filter(({ name }) => name === 'mask')
  const other = second ?? files.find((file) => file !== mask && !pictures.includes(file))
  const body: Fields = { ...values, ...lists }
  for (const file of [mask, other]) if (file) body[file.name] = aFile
  for (const name of ['n', 'seed', 'output_compression']) {
    if (typeof values[name] === 'string') body[name] = Number(values[name])
  }
  const asked = reading('brackets', () => {
    if (pictures.length === 0) throw problemAt('image', 'is required')
    return readFields<Asked>(editFields, body, { options: {} })
  })
  // The type is detected from the content; the one in the form is only the client's claim.
  const urlOf = ({ bytes }: { bytes: Uint8Array }) =>
    `data:application/octet-stream;base64,${base64Of(bytes)}`
  const imageUrls = pictures.map(urlOf)
  return answerImages(deps, asked, caller, { imageUrls, ...(mask ? { maskUrl: urlOf(mask) } : {}) })
}

async function answerImages(
  { catalogue, makeImages }: Deps,
  asked: Asked,
  { principal, signal, countMore }: CompatCaller,
  { imageUrls = [], maskUrl }: { imageUrls?: readonly string[]; maskUrl?: string } = {},
): Promise<CompatAnswer> {
  const { modelId, prompt } = reading('brackets', () => ({
    modelId: required(asked.modelId, 'model'),
    prompt: required(asked.prompt, 'prompt'),
  }))
  const { count = 1 } = asked
  const wants: ImageOrder['wants'] = asked.format === 'url' ? 'url' : 'bytes'
  const { model, fallbacks, route } = chooseModel(
    withRoutes(catalogue, principal.routes),
    modelId,
    ['IMAGE'],
  )
  const { capabilities } = model
  const { aspectRatio, sampleSize } = readSize(asked.size, capabilities)
  const quality = qualityFor(asked.quality, capabilities.imageQualities)
  const served = [...(route ? [] : [model]), ...fallbacks.map((id) => catalogue.known(id)?.model)]
  const options = optionsFor(asked.options, carriedBy(served, imageUrls.length))
  checkCapabilities(capabilities, { images: imageUrls.length, mask: maskUrl })
  const { maxInputImages = 1 } = capabilities
  if (imageUrls.length > maxInputImages) {
    const may = `exceeds the model's limit on input images, which is ${maxInputImages}`
    throw problemFailure('image', may, 'UNSUPPORTED_PARAMETER')
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
      ...(maskUrl === undefined ? {} : { maskUrl }),
    },
  }
  const excess = countMore(count - 1)
  if (excess && count > excess.most) {
    throw problemFailure('n', `may be at most ${excess.most}, your limit of images per minute`)
  }
  if (excess) throw excess.failure
  return { body: imagesAnswer(await makeImages(order, { signal: abortSignalOf(signal) })) }
}

/** `auto` leaves the choice to the model, even if the model does not know that value. */
function qualityFor(quality: string | undefined, known: string[] | undefined): string | undefined {
  if (quality === undefined || (quality === 'auto' && !known?.includes('auto'))) return undefined
  if (!known || known.includes(quality)) return quality
  const may = `must be one of ${known.join(', ')} for this model`
  throw problemFailure('quality', may, 'UNSUPPORTED_PARAMETER')
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
