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
import {
  between,
  FieldProblem,
  ignored,
  listOf,
  oneOf,
  onlyHarmless,
  problemAt,
  problemFailure,
  type Read,
  readFields,
  reading,
  refused,
  required,
  rowsOf,
  someText,
  text,
} from '../field-table.ts'
import { transcriptAnswer, transcriptEvents } from './transcript-answer.ts'

type Deps = { catalogue: Catalogue; transcribe: Transcribe }

/** Per list of hints. */
const maxHints = 64

type Asked = {
  modelId?: string
  format?: TranscriptFormat
  isStreamed?: boolean
  language?: string
  languages?: string[]
  prompt?: string
  keywords?: string[]
  temperature?: number
  chunking?: 'auto'
  granularities?: ('word' | 'segment')[]
  include?: 'logprobs'[]
}

const row = rowsOf<Asked>()

/** Fields of a form are always text. */
const formFlag: Read<boolean> = (value) => {
  const written = text(value).toLowerCase()
  if (written === 'true' || written === 'false') return written === 'true'
  throw new FieldProblem('must be true or false')
}

const formNumber: Read<number> = (value) => {
  const written = text(value)
  return between(0, 1)(written.trim() === '' ? Number.NaN : Number(written))
}

const hints = listOf(text, { most: maxHints, of: 'texts' })

const readGranularities: Read<('word' | 'segment')[]> = (value) => {
  const written = listOf(oneOf('word', 'segment'))(value)
  if (new Set(written).size === written.length) return written
  throw new FieldProblem('may contain only word and segment, each once')
}

export const transcriptionFields = {
  model: row('modelId', 'the model, by its id here', someText),
  file: ignored('the recording is a file of the form'),
  response_format: row('format', 'the format, if the model has it', oneOf(...transcriptFormats)),
  stream: row('isStreamed', 'whether the transcript comes in events', formFlag),
  language: row('language', 'the language', text),
  languages: row('languages', 'the languages', hints),
  prompt: row('prompt', 'what it is about', text),
  keywords: row('keywords', 'words that occur', hints),
  temperature: row('temperature', 'the temperature', formNumber),
  chunking_strategy: row('chunking', 'whether the vendor cuts long recordings', oneOf('auto')),
  timestamp_granularities: row('granularities', 'which times are told', readGranularities),
  include: row('include', 'log probabilities', listOf(oneOf('logprobs'))),
  known_speaker_names: refused('is not supported', onlyHarmless()),
  known_speaker_references: refused('is not supported', onlyHarmless()),
  'chunking_strategy[type]': refused(
    'is not supported: chunking_strategy may only be "auto"',
    onlyHarmless(),
  ),
}

export async function answerTranscription(
  { catalogue, transcribe }: Deps,
  form: FormFields,
  caller: CompatCaller,
): Promise<CompatAnswer> {
  const { modelId, format, isStreamed, transcription } = readRequest(form)
  const { model } = chooseModel(catalogue, modelId, ['TRANSCRIPTION'])
  const { transcriptFormats: known } = model.capabilities
  if (known && !known.includes(format)) {
    const may = `must be one of ${known.join(', ')} for this model`
    throw problemFailure('response_format', may, 'UNSUPPORTED_PARAMETER')
  }
  const { principal, signal } = caller
  const call = { ...transcription, principal, modelId: model.id, isStreamed }
  const events = transcribe(call, { signal })
  if (!isStreamed) return transcriptAnswer(events, format)
  const { done, value: begin } = await events.next()
  if (done || begin.type !== 'begin') throw new Failure('INTERNAL_ERROR')
  return { events: transcriptEvents(events, caller) }
}

const readRequest = (form: FormFields) =>
  reading('brackets', () => {
    const asked = readFields<Asked>(transcriptionFields, { ...form.values, ...form.lists }, {})
    const { format = 'json', isStreamed = false, granularities = [] } = asked
    const modelId = required(asked.modelId, 'model')
    if (granularities.length > 0 && format !== 'verbose_json') {
      throw problemAt('timestamp_granularities', 'needs response_format verbose_json')
    }
    const file = readFile(form)
    return { modelId, format, isStreamed, transcription: transcriptionOf(asked, file, format) }
  })

/** Subtitles are written from timed segments. Only what the format needs is requested. */
const details: Record<TranscriptFormat, TranscriptDetail> = {
  json: 'words',
  text: 'words',
  srt: 'times',
  vtt: 'times',
  verbose_json: 'times',
  diarized_json: 'speakers',
}

function transcriptionOf(asked: Asked, file: AudioFile, format: TranscriptFormat): Transcription {
  const { language, languages, prompt, keywords, temperature, granularities, include } = asked
  return {
    file,
    detail: details[format],
    ...(granularities?.length ? { granularities } : {}),
    ...(include?.length ? { wantsLogprobs: true } : {}),
    ...(language ? { language } : {}),
    ...(languages?.length ? { languages } : {}),
    ...(prompt ? { prompt } : {}),
    ...(keywords?.length ? { keywords } : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(asked.chunking === undefined ? {} : { isChunked: true }),
  }
}

function readFile({ files }: FormFields): AudioFile {
  const other = files.find(({ name }) => name !== 'file')
  if (other) throw problemAt(other.name.slice(0, 100), 'may not be a file')
  const [file, ...more] = files
  if (!file || file.bytes.length === 0) throw problemAt('file', 'is required')
  if (more.length > 0) throw problemAt('file', 'may be given only once')
  if (file.bytes.length > maxAudioBytes) {
    const message = `file may be at most ${maxAudioBytes / 1024 / 1024} MiB.`
    throw new Failure('PAYLOAD_TOO_LARGE', { message, details: { param: 'file' } })
  }
  return file
}
