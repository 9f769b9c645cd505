// What all streaming adapters share: opening the stream, telling a refusal from an accepted call,
// and making sure that only an answer that the provider itself ended counts as complete.
import { isRecord } from '#core/record.ts'
import type { OtherEnds, ProviderEnd } from '#core/text-stream.ts'
import { answeringModel } from './answering-model.ts'
import type { Call, Endpoint } from './http-call.ts'
import { type Json, parseJson } from './json-shape.ts'
import { ProviderError, type TextDelta } from './provider.ts'
import { protocolError } from './refusal.ts'
import { comment, EventTooLarge, readServerEvents, type ServerEvent } from './server-events.ts'
import type { Answer, Upstream } from './upstream.ts'

/** Translates one stream and remembers what its end needs from earlier events. */
export type StreamReader = {
  /** Throws a ProviderError if the event reports an error. */
  read(event: Json, name: string): TextDelta[]
  /** Undefined as long as the provider has not ended the answer. */
  end(): (ProviderEnd & OtherEnds) | undefined
}

type Translation = {
  requestId(answer: Answer): string | null
  /** The error for an answer that is not a stream. */
  refused(answer: Answer): ProviderError
  open(answer: Answer): StreamReader
  /** Reads the events, if they are framed in a way of the vendor's own. */
  events?: typeof readJsonEvents
}

/** In characters, of text and arguments together. */
const maxAnswerLength = 8 * 1024 * 1024

export async function* streamOf(
  endpoint: Endpoint,
  call: Call,
  { requestId, refused, open, events = readJsonEvents }: Translation,
): AsyncGenerator<TextDelta, void, undefined> {
  const isOwn = events !== readJsonEvents
  const answer = await (isOwn ? endpoint.bytes(call) : endpoint.stream(call))
  if (!answer.chunks) throw refused(answer)
  const reader = open(answer)
  yield { type: 'open', requestId: requestId(answer) }
  let length = 0
  let model: ReturnType<typeof answeringModel> = {}
  for await (const event of events(endpoint, answer, answer.chunks)) {
    if (event === signOfLife) {
      yield { type: 'working' }
      continue
    }
    const { name, json } = event
    if (model.answeredBy === undefined) model = answeringModel(json)
    for (const delta of reader.read(json, name)) {
      if ('text' in delta) length += delta.text.length
      if (length > maxAnswerLength)
        throw protocolError(endpoint, answer, 'the answer exceeds the size limit')
      yield delta
    }
  }
  const end = reader.end()
  if (end === undefined) throw brokenOff(endpoint, answer)
  yield { type: 'end', ...end, ...model }
}

type JsonEvent = { name: string; json: Json }

/** Stands for a comment between the events. */
const signOfLife: JsonEvent = { name: '', json: {} }

/** Events whose data is JSON, up to the `[DONE]` that ends OpenAI's streams. */
export async function* readJsonEvents(
  upstream: Upstream,
  answer: Answer,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<JsonEvent, void, undefined> {
  try {
    for await (const event of readServerEvents(chunks)) {
      if (event.data === '[DONE]') break
      if (event === comment) yield signOfLife
      else yield { name: event.event, json: parse(upstream, answer, event) }
    }
  } catch (error) {
    if (!(error instanceof EventTooLarge)) throw error
    throw protocolError(upstream, answer, 'an event in the stream is too large')
  }
}

/** The stream ended before the provider had ended the answer. */
export const brokenOff = (upstream: Upstream, answer: Answer): ProviderError =>
  protocolError(upstream, answer, 'the stream broke off')

function parse(upstream: Upstream, answer: Answer, { data }: ServerEvent): Json {
  const json = parseJson(data)
  if (isRecord(json)) return json
  throw protocolError(upstream, answer, 'the stream contains something that is not JSON')
}

type BrokenStream = Pick<ProviderError, 'kind' | 'message'> & Partial<Pick<ProviderError, 'isFree'>>

/** An error in a stream: the call was accepted, so it may be billed, if anything came before. */
export function brokenStream(
  upstream: Upstream,
  { kind, message, isFree = true }: BrokenStream,
): ProviderError {
  const line = upstream.redact(message).replace(/[\p{C}\s]+/gu, ' ')
  return new ProviderError(kind, {
    outcome: 'unknown',
    isFree,
    message: `${upstream.name}: ${line}`.slice(0, 300),
  })
}
