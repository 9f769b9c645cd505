// The parts that the content of messages consists of, in chat completions and in Responses, and
// what becomes of each field of them.
import { Buffer } from 'node:buffer'
import type { RawPart } from '#core/chat-content.ts'
import type { CacheLifetime } from '#core/text-stream.ts'
import {
  FieldProblem,
  ignored,
  kind,
  oneOf,
  type Read,
  readFields,
  readVariant,
  record,
  refused,
  required,
  rowsOf,
  someText,
  text,
  type Variants,
  within,
} from '../field-table.ts'

/** What the fields of a part say; which of them there are depends on its type. */
type Part = {
  text?: string
  url?: string
  file?: RawPart
  data?: string
  address?: string
  filename?: string
  cache?: CacheLifetime
}

const row = rowsOf<Part>()

type Cache = { mode?: string; ttl?: string }
const cache = rowsOf<Cache>()

/** As OpenAI writes a mark. */
export const breakpointFields = {
  mode: cache('mode', 'how it is kept', oneOf('explicit')),
  ttl: cache('ttl', 'how long it is kept: 5 minutes for 30m, an hour for 12h', oneOf('30m', '12h')),
}

/** As gateways pass on what Anthropic's API calls so. */
export const cacheFields = {
  type: cache('mode', 'how it is kept', oneOf('ephemeral')),
  ttl: cache('ttl', 'how long it is kept', oneOf('5m', '1h')),
}

const longTtls: readonly unknown[] = ['12h', '1h']
const lifetimeOf = ({ ttl }: Cache): CacheLifetime => (longTtls.includes(ttl) ? '1h' : '5m')

export const cacheLifetime: Read<CacheLifetime> = (value) =>
  lifetimeOf(readFields<Cache>(cacheFields, record(value), {}))

const cacheTo = 'a mark up to which vendors that cache on request keep the prompt'

const marks = {
  prompt_cache_breakpoint: row('cache', cacheTo, (value) =>
    lifetimeOf(readFields<Cache>(breakpointFields, record(value), {})),
  ),
  cache_control: row('cache', cacheTo, cacheLifetime),
}

const detail = ignored('models see a picture in full')
const noFiles = refused('needs the Files API, which is not offered: send the data itself')
const words = row('text', 'the text', text)

export const imageFields = {
  url: row('url', 'its address', someText),
  detail,
  format: ignored('the picture itself says what it is'),
}

const readImageUrl: Read<string> = (value) =>
  typeof value === 'string'
    ? value
    : required(readFields<Part>(imageFields, record(value), {}).url, 'url')

const filename = row('filename', 'its name', text)
const file_data = row('data', 'a PDF, for models that read them, or a text', someText)

export const fileFields = {
  file_data,
  file_id: noFiles,
  filename,
  format: ignored('the data says what it is'),
}

const text_ = { type: kind, text: words, ...marks }
const refusal = { type: kind, refusal: words }

/** The parts of chat completions. */
export const chatParts = {
  text: { ...text_, annotations: ignored('it says where an earlier answer had its words from') },
  image_url: {
    type: kind,
    image_url: row('url', 'a picture, for models that see', readImageUrl),
    detail,
    ...marks,
  },
  file: {
    type: kind,
    file: row('file', 'a PDF, for models that read them, or a text', (value) =>
      fileOf(readFields<Part>(fileFields, record(value), {}), 'file_data'),
    ),
    ...marks,
  },
  input_audio: refused(
    'is not supported: transcribe it first (POST /v1/audio/transcriptions) and send the text',
  ),
  refusal,
} satisfies Variants<Part>

/** The parts of Responses. */
export const itemParts = {
  input_text: text_,
  input_image: {
    type: kind,
    image_url: row('url', 'a picture, for models that see', someText),
    file_id: noFiles,
    detail,
    ...marks,
  },
  input_file: {
    type: kind,
    file_data,
    file_url: row('address', 'the address of a PDF, for models that read them', someText),
    file_id: noFiles,
    filename,
    detail: ignored('models see a document in full'),
    ...marks,
  },
  output_text: {
    type: kind,
    text: words,
    annotations: ignored('it says where an earlier answer had its words from'),
    logprobs: ignored('it says how likely the words of an earlier answer were'),
    parsed: ignored('it repeats the text'),
  },
  refusal,
  text: text_,
} satisfies Variants<Part>

const textTypes = new Set(['text', 'input_text', 'output_text', 'refusal'])

/** Text is shorthand for one part of text. `of`: which kinds of parts are possible. */
export function readParts(
  value: unknown,
  variants: Variants<object>,
  { of }: { of: 'text' | 'media' },
): RawPart[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }]
  if (!Array.isArray(value)) throw new FieldProblem('must be text or a list of parts')
  return value.map((one: unknown, index) =>
    within(index, () => {
      const part = partOf(one, variants)
      if (of === 'media' || part.type === 'text') return part
      throw new FieldProblem('must be a part of type text here')
    }),
  )
}

function partOf(value: unknown, variants: Variants<Part>): RawPart {
  const part = readVariant<Part>(variants, value, {})
  const type = String(record(value).type)
  const marked = part.cache === undefined ? {} : { cache: part.cache }
  if (textTypes.has(type)) {
    const name = type === 'refusal' ? 'refusal' : 'text'
    return { type: 'text', text: required(part.text, name), ...marked }
  }
  if (type === 'file') return { ...required(part.file, 'file'), ...marked }
  if (type === 'input_file') return { ...fileOf(part, 'file_data'), ...marked }
  return { type: 'image_url', url: required(part.url, 'image_url'), ...marked }
}

const dataUrl = /^data:([^;,]*)[^,]*,/

/** A PDF stays one; what is text is shown to every model. Bare base64 is that of a PDF. */
function fileOf({ data, address, filename }: Part, name: string): RawPart {
  const named = filename === undefined ? {} : { name: filename }
  if (address !== undefined) return { type: 'document', url: address, ...named }
  const given = required(data, name)
  if (/^https?:/i.test(given)) return { type: 'document', url: given, ...named }
  const [head, mediaType = ''] = dataUrl.exec(given) ?? []
  if (head === undefined) {
    return { type: 'document', url: `data:application/pdf;base64,${given}`, ...named }
  }
  if (mediaType === 'application/pdf') return { type: 'document', url: given, ...named }
  if (!isText(mediaType) || !head.endsWith(';base64,')) {
    throw new FieldProblem('must be a PDF or text, as a data URL in base64')
  }
  const words = Buffer.from(given.slice(head.length), 'base64').toString()
  return { type: 'text', text: filename === undefined ? words : `${filename}\n${words}` }
}

const isText = (mediaType: string): boolean =>
  mediaType.startsWith('text/') || mediaType === 'application/json'
