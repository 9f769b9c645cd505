import type { Model } from '#core/catalogue.ts'
import { imageUrlsOf, type RawPart, readContent, textOf } from '#core/chat-content.ts'
import { toRfc3339 } from '#core/clock.ts'
import { invalid } from '#core/errors.ts'
import { carriedBy, type FurtherParameters, readFurther } from '#core/media-options.ts'
import { withRoutes } from '#core/routed-catalogue.ts'
import { type Static, Type } from '#core/schema.ts'
import { checkCapabilities, chooseModel } from '../../model-choice.ts'
import { Named } from '../../named.ts'
import { type Answer, answer, type CallContext } from '../../operation.ts'
import {
  Closed,
  locationHeader,
  NamedRecord,
  OneOf,
  RetryAfter,
  replayedHeader,
  retryAfterHeader,
  Timestamp,
  Uuid,
} from '../../schemas.ts'
import { apiPrefix, type Context } from '../context.ts'
import { Ignored, taskStatuses } from './task-record.ts'

const word = Type.Optional(Type.String())
export const imageFields = { imageAspectRatio: word, imageQuality: word, imageSampleSize: word }
/** Not an argument of the tool: models rarely have a mask at hand. */
const maskField = {
  mask: Type.Optional(
    Type.String({
      description:
        'Which part of the first input image may be changed: the address or data URL of a PNG of its size, transparent there. Only for images, and for models with the capability mask.',
    }),
  ),
}
export const videoFields = {
  videoAspectRatio: word,
  videoSeconds: Type.Optional(Type.Integer({ minimum: 1 })),
  videoResolution: word,
  videoGenerateAudio: Type.Optional(Type.Boolean()),
}

const model = (kind: string) =>
  Type.String({ description: `Identifier of ${kind} model from the model list.` })

/** One schema for images and videos. Unknown members are allowed, here and in the messages. */
export const CreativeRequest = Named(
  'CreativeRequest',
  Type.Object({
    model: model('an IMAGE or VIDEO'),
    messages: Type.Array(
      Type.Object({ role: OneOf(['system', 'user', 'assistant']), content: Type.Unknown() }),
      { minItems: 1, description: 'The text of the user messages is the prompt.' },
    ),
    ...imageFields,
    ...maskField,
    ...videoFields,
  }),
)

/** The tool form allows only the fields of its own kind, and any objects as messages. */
export const creativeArguments = <F extends typeof imageFields | typeof videoFields>(
  kind: string,
  fields: F,
) =>
  Closed({ model: model(kind), messages: Type.Array(Type.Object({}), { minItems: 1 }), ...fields })

export const creativeSuccess = {
  200: {
    description: 'The task was accepted',
    beside: { taskId: Uuid('Identifier of the task.') },
    data: NamedRecord('AcceptedTask', {
      taskId: Uuid('Identifier of the task.'),
      kind: OneOf(['IMAGE', 'VIDEO']),
      status: OneOf(taskStatuses),
      createdAt: Timestamp,
      retryAfterSeconds: RetryAfter,
      ignored: Type.Optional(Ignored),
    }),
    headers: { ...locationHeader, ...retryAfterHeader, ...replayedHeader },
  },
}

export async function submitCreative(
  { services, principal }: Context & CallContext,
  body: Static<typeof CreativeRequest>,
  kind: 'IMAGE' | 'VIDEO',
): Promise<Answer> {
  const models = withRoutes(services.catalogue, principal.routes)
  const entry = chooseModel(models, body.model, [kind])
  const { capabilities } = entry.model
  const { prompt, imageUrls } = readPrompt(body.messages)
  checkCapabilities(capabilities, { images: imageUrls.length })
  checkPictures(imageUrls.length, capabilities)
  const [imageUrl, ...referenceUrls] = imageUrls
  if (kind === 'IMAGE') checkMask(body.mask, imageUrls.length)
  const { options, ignored } = furtherParameters(body, kind, {
    models: [
      ...(entry.route ? [] : [entry.model]),
      ...entry.fallbacks.map((id) => services.catalogue.known(id)?.model),
    ],
    pictures: imageUrls.length,
  })
  const request =
    kind === 'IMAGE' ? imageRequest(body, capabilities) : videoRequest(body, capabilities)
  const task = await services.submitTask({
    principal,
    modelId: entry.model.id,
    kind,
    request: {
      prompt,
      ...(imageUrl === undefined ? {} : { imageUrl, referenceUrls }),
      ...request,
      ...(Object.keys(options).length > 0 ? { options } : {}),
    },
    ignored,
  })
  const data = {
    taskId: task.id,
    kind,
    status: 'QUEUED',
    createdAt: toRfc3339(task.createdAtMs),
    retryAfterSeconds: 1,
    ...(ignored.length > 0 ? { ignored } : {}),
  }
  const headers = { Location: `${apiPrefix}/tasks/${task.id}`, 'Retry-After': '1' }
  return answer(data, { headers, beside: { taskId: task.id } })
}

const readFields = {
  IMAGE: new Set(['model', 'messages', 'mask', ...Object.keys(imageFields)]),
  VIDEO: new Set(['model', 'messages', ...Object.keys(videoFields)]),
}

/** An option counts as carried only if every model that may serve the task gets it. */
function furtherParameters(
  body: Body,
  kind: 'IMAGE' | 'VIDEO',
  { models, pictures }: { models: readonly (Model | undefined)[]; pictures: number },
): Pick<FurtherParameters, 'options' | 'ignored'> {
  const carried = carriedBy(models, pictures)
  const further = readFurther(body, { read: readFields[kind], carried })
  const [unsupported] = further.unsupported
  if (unsupported)
    throw invalid('UNSUPPORTED_PARAMETER', further.unsupported, `${unsupported.message}.`)
  const [wrong] = further.invalid
  if (wrong) throw invalid('INVALID_REQUEST', further.invalid, `${wrong.message}.`)
  return further
}

type Body = Static<typeof CreativeRequest>
type Bounds = Parameters<typeof checkCapabilities>[0]

function imageRequest(body: Body, capabilities: Bounds) {
  const { imageAspectRatio, imageQuality, imageSampleSize, mask } = body
  checkCapabilities(capabilities, { imageAspectRatio, imageQuality, imageSampleSize, mask })
  return {
    aspectRatio: imageAspectRatio,
    quality: imageQuality,
    sampleSize: imageSampleSize,
    ...(mask === undefined ? {} : { maskUrl: mask }),
  }
}

function videoRequest(body: Body, capabilities: Bounds) {
  const { videoAspectRatio, videoSeconds, videoResolution, videoGenerateAudio } = body
  checkCapabilities(capabilities, {
    videoAspectRatio,
    videoSeconds,
    videoResolution,
    videoGenerateAudio,
  })
  return {
    aspectRatio: videoAspectRatio,
    seconds: videoSeconds ?? capabilities.videoSeconds?.default,
    resolution: videoResolution,
    generateAudio: videoGenerateAudio,
  }
}

function readPrompt(messages: Body['messages']): { prompt: string; imageUrls: string[] } {
  const contents: (string | readonly RawPart[])[] = messages
    .filter((message) => message.role === 'user')
    .map((message) => readContent(message.content))
  const prompt = contents
    .map(textOf)
    .filter((text) => text !== '')
    .join('\n')
  if (prompt.trim() === '') {
    throw invalid(
      'INVALID_REQUEST',
      [{ path: '/messages', rule: 'prompt', message: 'a user message with text is required' }],
      'The prompt is the text of the user messages, and there is none.',
    )
  }
  return { prompt, imageUrls: contents.flatMap(imageUrlsOf) }
}

function checkMask(mask: string | undefined, pictures: number) {
  if (mask === undefined || pictures > 0) return
  const message = 'mask needs an input image, whose part it marks'
  throw invalid('INVALID_REQUEST', [{ path: '/mask', rule: 'parameter', message }], `${message}.`)
}

/** Refuses too many pictures, because silently ignoring some would be worse. */
function checkPictures(count: number, { maxInputImages = 1 }: Bounds) {
  if (count <= maxInputImages) return
  const many = maxInputImages === 1 ? 'one image' : `at most ${maxInputImages} images`
  const message = `a generation with this model accepts ${many}`
  throw invalid('UNSUPPORTED_PARAMETER', [{ path: '/messages', rule: 'capability', message }])
}
