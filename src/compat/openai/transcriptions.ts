import { chooseModel } from '#api/model-choice.ts'
import {
  type AudioFile,
  maxAudioBytes,
  type Transcribe,
  type TranscriptDetail,
  type TranscriptFormat,
  type Transcription,
  transcriptFormats,
} from '#core/audio.ts'
import type { Catalogue } from '#core/catalogue.ts'
import { Failure } from '#core/errors.ts'
import type { FormFields } from '#http/form-body.ts'
import type { CompatAnswer, CompatCaller } from '../compat-api.ts'
import { badParameter, requiredString } from '../parameters.ts'
import { transcriptAnswer, transcriptEvents } from './transcript-answer.ts'
import { onlyAllowed, refuseUnsupported, type Unsupported } from './unsupported.ts'

type Deps = { catalogue: Catalogue; transcribe: Transcribe }

/** Per list of hints. */
const maxHints = 64

const unsupported: Unsupported = {
  known_speaker_names: [onlyAllowed(), 'is not supported'],
  known_speaker_references: [onlyAllowed(), 'is not supported'],
  chunking_strategy: [onlyAllowed('auto'), 'may only be "auto"'],
  'chunking_strategy[type]': [
    onlyAllowed(),
    'is not supported: chunking_strategy may only be "auto"',
  ],
}

export async function answerTranscription(
  { catalogue, transcribe }: Deps,
  form: FormFields,
  caller: CompatCaller,
): Promise<CompatAnswer> {
  const modelId = requiredString(form.values, 'model')
  refuseUnsupported({ ...form.values, ...form.lists }, unsupported)
  const format = readFormat(form.values.response_format)
  const isStreamed = readBoolean(form, 'stream')
  const transcription = readTranscription(form, format)
  const { model } = chooseModel(catalogue, modelId, ['TRANSCRIPTION'])
  const { transcriptFormats: known } = model.capabilities
  if (known && !known.includes(format)) {
    const may = `must be one of ${known.join(', ')} for this model`
    throw badParameter('response_format', may, 'UNSUPPORTED_PARAMETER')
  }
  const { principal, signal } = caller
  const call = { ...transcription, principal, modelId: model.id, isStreamed }
  const events = transcribe(call, { signal })
  if (!isStreamed) return transcriptAnswer(events, format)
  const { done, value: begin } = await events.next()
  if (done || begin.type !== 'begin') throw new Failure('INTERNAL_ERROR')
  return { events: transcriptEvents(events, caller) }
}

/** Subtitles are written from timed segments. Only what the format needs is requested. */
const details: Record<TranscriptFormat, TranscriptDetail> = {
  json: 'words',
  text: 'words',
  srt: 'times',
  vtt: 'times',
  verbose_json: 'times',
  diarized_json: 'speakers',
}

function readFormat(written = 'json'): TranscriptFormat {
  const format = transcriptFormats.find((one) => one === written)
  if (format) return format
  throw badParameter('response_format', `must be one of ${transcriptFormats.join(', ')}`)
}

function readTranscription(form: FormFields, format: TranscriptFormat): Transcription {
  const { language, prompt, temperature, chunking_strategy } = form.values
  const languages = hintsIn(form, 'languages')
  const keywords = hintsIn(form, 'keywords')
  return {
    file: readFile(form),
    detail: details[format],
    ...readGranularities(form, format),
    ...readInclude(form),
    ...(language ? { language } : {}),
    ...(languages.length > 0 ? { languages } : {}),
    ...(prompt ? { prompt } : {}),
    ...(keywords.length > 0 ? { keywords } : {}),
    ...(temperature === undefined ? {} : { temperature: readTemperature(temperature) }),
    ...(chunking_strategy === undefined ? {} : { isChunked: true }),
  }
}

function readFile({ files }: FormFields): AudioFile {
  const other = files.find(({ name }) => name !== 'file')
  if (other) throw badParameter(other.name.slice(0, 100), 'may not be a file')
  const [file, ...more] = files
  if (!file || file.bytes.length === 0) throw badParameter('file', 'is required')
  if (more.length > 0) throw badParameter('file', 'may be given only once')
  if (file.bytes.length > maxAudioBytes) {
    const message = `file may be at most ${maxAudioBytes / 1024 / 1024} MiB.`
    throw new Failure('PAYLOAD_TOO_LARGE', { message, details: { param: 'file' } })
  }
  return file
}

function hintsIn({ lists }: FormFields, name: string): string[] {
  const hints = lists[name] ?? []
  if (hints.length <= maxHints) return hints
  throw badParameter(name, `may contain at most ${maxHints} texts`)
}

function readGranularities(
  { lists }: FormFields,
  format: TranscriptFormat,
): Pick<Transcription, 'granularities'> {
  const written = lists.timestamp_granularities ?? []
  if (written.length === 0) return {}
  const name = 'timestamp_granularities'
  if (format !== 'verbose_json') throw badParameter(name, 'needs response_format verbose_json')
  const granularities = (['word', 'segment'] as const).filter((one) => written.includes(one))
  if (granularities.length === written.length) return { granularities }
  throw badParameter(name, 'may contain only word and segment, each once')
}

function readInclude({ lists }: FormFields): Pick<Transcription, 'wantsLogprobs'> {
  const included = lists.include ?? []
  if (included.length === 0) return {}
  if (included.every((one) => one === 'logprobs')) return { wantsLogprobs: true }
  throw badParameter('include', 'may only contain logprobs')
}

function readTemperature(written: string): number {
  const temperature = written.trim() === '' ? Number.NaN : Number(written)
  if (temperature >= 0 && temperature <= 1) return temperature
  throw badParameter('temperature', 'must be from 0 to 1')
}

/** Fields of a form are always text. */
function readBoolean({ values }: FormFields, name: string): boolean {
  const written = values[name]?.toLowerCase() ?? 'false'
  if (written === 'true' || written === 'false') return written === 'true'
  throw badParameter(name, 'must be true or false')
}
