// Speech and transcripts of OpenAI and of servers that speak its protocol.
import type { AudioFile, TranscriptDetail } from '#core/audio.ts'
import type { PricedUnits } from '#core/pricing.ts'
import { isRecord } from '#core/record.ts'
import { type Endpoint, mediaAnswerMaxBytes } from '#providers/http-call.ts'
import type { Opened } from '#providers/http-exchange.ts'
import { countOf, type Json, parseJson } from '#providers/json-shape.ts'
import { type FormPart, toForm } from '#providers/media-encoding.ts'
import type {
  Provider,
  SpeakRequest,
  Spoken,
  Transcribed,
  TranscribeRequest,
} from '#providers/provider.ts'
import { protocolError } from '#providers/refusal.ts'
import { brokenOff, readJsonEvents } from '#providers/streamed-text.ts'
import { type Answer, isEventStream, type Upstream } from '#providers/upstream.ts'
import { refusal, responseUsage } from './response.ts'
import { refuseError } from './stream.ts'

export const audioCalls = (endpoint: Endpoint): Pick<Provider, 'speak' | 'transcribe'> => ({
  async speak(request, { signal }) {
    const body = JSON.stringify(speechBody(request))
    const { model } = request
    const call = { method: 'POST', at: '/audio/speech', body, model, signal } as const
    return readSpeech(endpoint, await endpoint.bytes(call))
  },
  async transcribe(request, { signal }) {
    const form = toForm(transcriptionForm(request))
    const { model } = request
    const call = { method: 'POST', at: '/audio/transcriptions', ...form, model, signal } as const
    if (request.isStreamed) return readTranscription(endpoint, await endpoint.bytes(call))
    const maxBytes = mediaAnswerMaxBytes
    return readTranscription(endpoint, await endpoint.call({ ...call, maxBytes }))
  },
})

const speechBody = (request: SpeakRequest) => ({
  model: request.model,
  input: request.input,
  voice: request.voice,
  response_format: request.format,
  ...(request.instructions === undefined ? {} : { instructions: request.instructions }),
  ...(request.speed === undefined ? {} : { speed: request.speed }),
  ...(request.inEvents ? { stream_format: 'sse' } : {}),
})

/** A server that does not support events sends the audio itself. */
function readSpeech(upstream: Upstream, answer: Opened): Spoken {
  const { chunks } = answer
  if (!chunks) throw refusal(upstream, answer, { rejectedWhenBusy: true })
  if (isEventStream(answer)) return { pieces: speechEvents(upstream, answer, chunks) }
  const type = String(answer.headers['content-type'] ?? '')
  const isSound = /^audio\/[\w.+-]+/.test(type)
  if (!isSound && !/octet-stream/.test(type)) {
    void chunks.return()
    throw protocolError(upstream, answer, 'not audio')
  }
  const pieces = speechBytes(upstream, answer, chunks)
  return isSound ? { mimeType: type, pieces } : { pieces }
}

type Chunks = NonNullable<Opened['chunks']>

async function* speechBytes(upstream: Upstream, answer: Answer, chunks: Chunks): Spoken['pieces'] {
  let isEmpty = true
  for await (const bytes of chunks) {
    isEmpty &&= bytes.length === 0
    yield { type: 'audio', bytes }
  }
  if (isEmpty) throw protocolError(upstream, answer, 'no audio in the answer')
}

async function* speechEvents(upstream: Upstream, answer: Answer, chunks: Chunks): Spoken['pieces'] {
  for await (const { json } of readJsonEvents(upstream, answer, chunks)) {
    refuseError(upstream, json)
    if (json.type === 'speech.audio.delta' && typeof json.audio === 'string') {
      yield { type: 'audio', bytes: Buffer.from(json.audio, 'base64') }
    }
    if (json.type !== 'speech.audio.done') continue
    const usage = responseUsage(json.usage)
    if (usage) yield { type: 'used', units: usage }
    return
  }
  throw brokenOff(upstream, answer)
}

const formats: Record<TranscriptDetail, string> = {
  words: 'json',
  times: 'verbose_json',
  speakers: 'diarized_json',
}

/** Requests only formats that report usage; all others are produced from them. */
function transcriptionForm(request: TranscribeRequest): FormPart[] {
  const { file, language, prompt, temperature } = request
  const { languages = [], keywords = [], granularities = [] } = request
  const value = (name: string, given: string | number | undefined): FormPart[] =>
    given === undefined ? [] : [{ name, value: String(given) }]
  const list = (name: string, given: readonly string[]): FormPart[] =>
    given.map((one) => ({ name: `${name}[]`, value: one }))
  return [
    { name: 'file', file, fileName: safeName(file) },
    { name: 'model', value: request.model },
    { name: 'response_format', value: formats[request.detail] },
    ...value('language', language),
    ...list('languages', languages),
    ...value('prompt', prompt),
    ...list('keywords', keywords),
    ...value('temperature', temperature),
    ...list('timestamp_granularities', granularities),
    ...(request.wantsLogprobs ? list('include', ['logprobs']) : []),
    ...value('chunking_strategy', request.isChunked && 'auto'),
    ...value('stream', request.isStreamed ? 'true' : undefined),
  ]
}

/** The provider needs the file's type in its name, but not the name its owner gave it. */
function safeName({ fileName, mimeType }: AudioFile): string {
  const written = /\.(?<extension>[a-z0-9]{1,5})$/i.exec(fileName)?.groups?.extension
  const subtype = /^(?:audio|video)\/(?:x-)?(?<subtype>[a-z0-9]{1,10})$/i.exec(mimeType)?.groups
  return `audio.${(written ?? subtype?.subtype ?? 'bin').toLowerCase()}`
}

/** A model that cannot stream sends its whole answer at once, even if a stream was requested. */
function readTranscription(upstream: Upstream, answer: Opened): Transcribed {
  const { chunks, status } = answer
  if (status !== 200) throw refusal(upstream, answer, { rejectedWhenBusy: true })
  if (!chunks) return { pieces: wholeTranscript(upstream, answer) }
  if (isEventStream(answer)) return { pieces: transcriptEvents(upstream, answer, chunks) }
  return { pieces: collected(upstream, answer, chunks) }
}

async function* wholeTranscript(upstream: Upstream, answer: Answer): Transcribed['pieces'] {
  const json = parseJson(answer.body)
  if (!isRecord(json) || typeof json.text !== 'string') {
    throw protocolError(upstream, answer, 'not a transcript')
  }
  yield* endOf(json.text, json)
}

async function* collected(
  upstream: Upstream,
  answer: Answer,
  chunks: Chunks,
): Transcribed['pieces'] {
  const read: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > mediaAnswerMaxBytes)
      throw protocolError(upstream, answer, 'the answer exceeds the size limit')
    read.push(chunk)
  }
  yield* wholeTranscript(upstream, { ...answer, body: Buffer.concat(read) })
}

const pieceTypes: readonly unknown[] = ['transcript.text.delta', 'transcript.text.segment']

async function* transcriptEvents(
  upstream: Upstream,
  answer: Answer,
  chunks: Chunks,
): Transcribed['pieces'] {
  for await (const { json } of readJsonEvents(upstream, answer, chunks)) {
    refuseError(upstream, json)
    if (pieceTypes.includes(json.type)) yield { type: 'piece', record: json }
    if (json.type !== 'transcript.text.done' || typeof json.text !== 'string') continue
    return yield* endOf(json.text, json)
  }
  throw brokenOff(upstream, answer)
}

function* endOf(text: string, json: Json) {
  const { usage, ...record } = json
  const units = transcriptUsage(usage, json.duration)
  if (units) yield { type: 'used' as const, units }
  yield { type: 'transcript' as const, transcript: { text, record } }
}

/** Tokens or seconds of audio; a server that reports neither may still state the duration. */
function transcriptUsage(usage: unknown, duration: unknown): PricedUnits | null {
  if (isRecord(usage) && usage.type === 'duration') {
    return { inputAudioSeconds: countOf(usage.seconds) }
  }
  const tokens = isRecord(usage)
    ? responseUsage({ ...usage, input_tokens_details: usage.input_token_details })
    : null
  if (tokens) return tokens
  // Some servers send the duration as text.
  const seconds = countOf(typeof duration === 'string' ? Number(duration) : duration)
  return seconds > 0 ? { inputAudioSeconds: seconds } : null
}
