import { chooseModel } from '#api/model-choice.ts'
import { type SpeakText, type Speech, type SpeechEvent, speechFormats } from '#core/audio.ts'
import type { Capabilities, Catalogue } from '#core/catalogue.ts'
import { Failure } from '#core/errors.ts'
import { isRecord } from '#core/record.ts'
import { type CompatAnswer, type CompatCaller, dataLine } from '../compat-api.ts'
import {
  between,
  oneOf,
  problemFailure,
  type Read,
  readFields,
  reading,
  record,
  required,
  rowsOf,
  someText,
  text,
} from '../field-table.ts'
import { audioUsage } from './audio-usage.ts'
import { errorAnswer } from './error-answer.ts'

type Deps = { catalogue: Catalogue; speakText: SpeakText }

type Asked = Partial<Speech> & { modelId?: string; streamFormat?: 'audio' | 'sse' }

const row = rowsOf<Asked>()

export const voiceFields = {
  id: rowsOf<{ id?: string }>()('id', 'a voice of your own, by its id', someText),
}

const readVoice: Read<Speech['voice']> = (value) => {
  if (!isRecord(value)) return someText(value)
  return { id: required(readFields<{ id?: string }>(voiceFields, value, {}).id, 'id') }
}

export const speechFields = {
  model: row('modelId', 'the model, by its id here', someText),
  input: row('input', 'the text', someText),
  voice: row('voice', 'the voice', readVoice),
  instructions: row('instructions', 'how to speak, for models that can be told', text),
  response_format: row('format', 'the format', oneOf(...speechFormats)),
  // OpenAI's own limits.
  speed: row('speed', 'the speed', between(0.25, 4)),
  stream_format: row('streamFormat', 'whether the sound comes in events', oneOf('audio', 'sse')),
}

export async function answerSpeech(
  { catalogue, speakText }: Deps,
  body: unknown,
  caller: CompatCaller,
): Promise<CompatAnswer> {
  const { modelId, speech, inEvents } = readRequest(body)
  const { model } = chooseModel(catalogue, modelId, ['SPEECH'])
  checkModel(model.capabilities, speech, inEvents)
  const { principal, signal } = caller
  const events = speakText({ ...speech, principal, modelId: model.id }, { signal })
  const { done, value: begin } = await events.next()
  if (done || begin.type !== 'begin') throw new Failure('INTERNAL_ERROR')
  if (inEvents) return { events: linesOf(events, caller) }
  return { bytes: bytesOf(events, caller), contentType: begin.mimeType }
}

const readRequest = (body: unknown) =>
  reading('brackets', () => {
    const asked = readFields<Asked>(speechFields, record(body), {})
    const { format = 'mp3', instructions, speed } = asked
    const speech: Speech = {
      input: required(asked.input, 'input'),
      voice: required(asked.voice, 'voice'),
      format,
      ...(instructions ? { instructions } : {}),
      ...(speed === undefined || speed === 1 ? {} : { speed }),
    }
    const modelId = required(asked.modelId, 'model')
    return { modelId, speech, inEvents: asked.streamFormat === 'sse' }
  })

function checkModel(capabilities: Capabilities, speech: Speech, inEvents: boolean) {
  const { speechFormats: formats, speechInstructions, speechEvents } = capabilities
  const refused = (name: string, why: string) =>
    problemFailure(name, `${why} for this model`, 'UNSUPPORTED_PARAMETER')
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
