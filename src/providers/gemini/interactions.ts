// Videos of Gemini Omni, through the Interactions API. Interactions run in the background, so that
// we have their id before the work begins.
import { isRecord } from '#core/record.ts'
import { isPathId, type Json, parseJson, recordsOf, textOf } from '#providers/json-shape.ts'
import { toBase64 } from '#providers/media-encoding.ts'
import type { JobRef, Output, PollState, VideoRequest } from '#providers/provider.ts'
import { endedError, protocolError } from '#providers/refusal.ts'
import type { Answer, Upstream } from '#providers/upstream.ts'
import { kindOf, refusal } from './response.ts'

const pollMs = 5_000
const folder = 'interactions/'

type InteractionBody = {
  model: string
  input: ({ type: 'text'; text: string } | { type: 'image'; data: string; mime_type: string })[]
  background: true
  store: true
  response_format: {
    type: 'video'
    aspect_ratio?: string
    duration?: string
    resolution?: string
    delivery: 'uri'
  }
}

export const isOmni = (model: string): boolean => model.startsWith('gemini-omni')
export const isInteraction = ({ id }: JobRef): boolean => id.startsWith(folder)

/** Requests the video as an address; inline, all of it would be held in memory. */
export function interactionBody(request: VideoRequest): InteractionBody {
  const { model, prompt, image, aspectRatio, seconds, resolution } = request
  const picture = image && {
    type: 'image' as const,
    data: toBase64(image),
    mime_type: image.mimeType,
  }
  return {
    model,
    input: [{ type: 'text', text: prompt }, ...(picture ? [picture] : [])],
    background: true,
    // The vendor must store a background interaction, or there would be nothing to poll.
    store: true,
    response_format: {
      type: 'video',
      ...(aspectRatio === undefined ? {} : { aspect_ratio: aspectRatio }),
      ...(seconds === undefined ? {} : { duration: `${seconds}s` }),
      ...(resolution === undefined ? {} : { resolution }),
      delivery: 'uri',
    },
  }
}

export function readInteractionRef(upstream: Upstream, answer: Answer): JobRef {
  return { v: 1, provider: upstream.name, id: `${folder}${interaction(upstream, answer).id}` }
}

/** `outputAt` adds the key for addresses that may receive it. */
export function readInteractionState(
  upstream: Upstream,
  answer: Answer,
  outputAt: (uri: string) => Output | undefined,
): PollState {
  const json = interaction(upstream, answer)
  const { status } = json
  if (status === 'queued') return { state: 'queued', nextMs: pollMs }
  if (status === 'in_progress') return { state: 'running', nextMs: pollMs }
  if (status === 'cancelled') {
    return { state: 'canceled', error: endedError(upstream, 'canceled', 'the job was cancelled') }
  }
  const contents = modelOutput(json)
  if (status === 'completed') {
    const outputs = contents.flatMap((content) => videoIn(content, outputAt))
    if (outputs.length > 0) return { state: 'succeeded', outputs }
    // If the model made no video, its text says why.
    const words = contents.map((content) => textOf(content.text) ?? '').join('')
    const kind = words === '' ? 'protocol' : 'content'
    return { state: 'failed', error: endedError(upstream, kind, words || 'no video in the answer') }
  }
  if (status === 'failed' || endings.has(status)) {
    const message = failureIn(json) ?? `the interaction ended as ${status}`
    const kind = kindOf(undefined, message) ?? 'server'
    return { state: 'failed', error: endedError(upstream, kind, message) }
  }
  throw protocolError(upstream, answer, 'an unknown status of an interaction')
}

/** End states that are failures here: our requests want one video and declare no functions. */
const endings = new Set([
  'incomplete',
  'budget_exceeded',
  'requires_action',
  'requires_continuation',
])

export function readInteractionCancel(
  upstream: Upstream,
  answer: Answer,
): 'canceled' | 'requested' | 'too_late' {
  const { status } = interaction(upstream, answer)
  if (status === 'cancelled') return 'canceled'
  return status === 'queued' || status === 'in_progress' ? 'requested' : 'too_late'
}

type Interaction = Json & { id: string; status: string }

function interaction(upstream: Upstream, answer: Answer): Interaction {
  if (answer.status !== 200) throw refusal(upstream, answer, { rejectedWhenBusy: false })
  const json = parseJson(answer.body)
  if (!isRecord(json) || !isPathId(json.id) || typeof json.status !== 'string') {
    throw protocolError(upstream, answer, 'not an interaction')
  }
  return json as Interaction
}

const modelOutput = ({ steps, output_video }: Interaction): Json[] => [
  ...(isRecord(output_video) ? [output_video] : []),
  ...recordsOf(steps)
    .filter((step) => step.type === 'model_output')
    .flatMap((step) => recordsOf(step.content)),
]

function videoIn(content: Json, outputAt: (uri: string) => Output | undefined): Output[] {
  if (content.type !== 'video') return []
  const uri = textOf(content.uri)
  const output = uri === undefined ? undefined : outputAt(uri)
  if (output) return [output]
  const data = textOf(content.data)
  return data === undefined ? [] : [{ bytes: Buffer.from(data, 'base64'), mimeType: 'video/mp4' }]
}

const failureIn = ({ errors, steps }: Interaction): string | undefined =>
  [
    ...recordsOf(errors),
    ...recordsOf(steps).map((step) => (isRecord(step.error) ? step.error : {})),
  ]
    .map((error) => textOf(error.message))
    .find((message) => message !== undefined)
