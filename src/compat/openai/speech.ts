import { chooseModel } from '#api/model-choice.ts'
import { type SpeakText, type Speech, type SpeechEvent, speechFormats } from '#core/audio.ts'
import type { Capabilities, Catalogue } from '#core/catalogue.ts'
import { Failure } from '#core/errors.ts'
import { isRecord } from '#core/record.ts'
import { type CompatAnswer, type CompatCaller, dataLine } from '../compat-api.ts'
import {
  badParameter,
  type Fields,
  given,
  optionalNumber,
  optionalString,
  requiredString,
} from '../parameters.ts'
import { audioUsage } from './audio-usage.ts'
import { errorAnswer } from './error-answer.ts'

type Deps = { catalogue: Catalogue; speakText: SpeakText }

export async function answerSpeech(
  { catalogue, speakText }: Deps,
  body: unknown,
  caller: CompatCaller,
): Promise<CompatAnswer> {
  if (!isRecord(body)) throw badParameter('', 'must be a JSON object')
  const modelId = requiredString(body, 'model')
  const speech = readSpeech(body)
  const inEvents = readStreamFormat(body) === 'sse'
  const { model } = chooseModel(catalogue, modelId, ['SPEECH'])
  checkModel(model.capabilities, speech, inEvents)
  const { principal, signal } = caller
  const events = speakText({ ...speech, principal, modelId: model.id }, { signal })
  const { done, value: begin } = await events.next()
  if (done || begin.type !== 'begin') throw new Failure('INTERNAL_ERROR')
  if (inEvents) return { events: linesOf(events, caller) }
  return { bytes: bytesOf(events, caller), contentType: begin.mimeType }
}

/** OpenAI's own limits. */
const speeds = { min: 0.25, max: 4 }

function readSpeech(body: Fields): Speech {
  const input = requiredString(body, 'input')
  const format = oneOf(body, 'response_format', speechFormats) ?? 'mp3'
  const instructions = optionalString(body, 'instructions')
  const speed = optionalNumber(body, 'speed')
  if (speed !== undefined && !(speed >= speeds.min && speed <= speeds.max)) {
    throw badParameter('speed', `must be from ${speeds.min} to ${speeds.max}`)
  }
  return {
    ...{ input, format, voice: readVoice(body) },
    ...(instructions ? { instructions } : {}),
    ...(speed === undefined || speed === 1 ? {} : { speed }),
  }
}

function readVoice(body: Fields): Speech['voice'] {
  const voice = given(body, 'voice')
  if (isRecord(voice)) return { id: requiredString(voice, 'id', 'voice.id') }
  return requiredString(body, 'voice')
}

const readStreamFormat = (body: Fields) =>
  oneOf(body, 'stream_format', ['audio', 'sse'] as const) ?? 'audio'

function oneOf<const T extends string>(
  body: Fields,
  name: string,
  known: readonly T[],
): T | undefined {
  const written = given(body, name)
  const value = known.find((one) => one === written)
  if (written === undefined || value !== undefined) return value
  throw badParameter(name, `must be one of ${known.join(', ')}`)
}

function checkModel(capabilities: Capabilities, speech: Speech, inEvents: boolean) {
  const { speechFormats: formats, speechInstructions, speechEvents } = capabilities
  const refused = (name: string, why: string) =>
    badParameter(name, `${why} for this model`, 'UNSUPPORTED_PARAMETER')
  if (formats && !formats.includes(speech.format)) {
    throw refused('response_format', `must be one of ${formats.join(', ')}`)
  }
  if (speech.instructions !== undefined && speechInstructions === false) {
    throw refused('instructions', 'is not supported')
  }
  if (inEvents && !speechEvents) throw refused('stream_format', 'must be audio')
}

async function* bytesOf(events: AsyncIterable<SpeechEvent>, { toFailure }: CompatCaller) {
  try {
    for await (const event of events) if (event.type === 'audio') yield event.bytes
  } catch (error) {
    throw toFailure(error)
  }
}

async function* linesOf(events: AsyncIterable<SpeechEvent>, { toFailure }: CompatCaller) {
  try {
    for await (const event of events) {
      if (event.type === 'audio') {
        const { buffer, byteOffset, byteLength } = event.bytes
        const audio = Buffer.from(buffer, byteOffset, byteLength).toString('base64')
        yield dataLine({ type: 'speech.audio.delta', audio })
      }
      if (event.type === 'paid') {
        yield dataLine({ type: 'speech.audio.done', usage: audioUsage(event) })
      }
    }
  } catch (error) {
    yield dataLine(errorAnswer(toFailure(error)))
  }
}
