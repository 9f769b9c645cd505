// The blocks that the messages of a request consist of, and what becomes of each field of them.
import type { RawPart } from '#core/chat-content.ts'
import type { CacheLifetime, Hosted } from '#core/text-stream.ts'
import {
  anything,
  FieldProblem,
  flag,
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
  whole,
  within,
} from '../field-table.ts'

/** What the fields of a block say; which of them there are depends on its type. */
export type Block = {
  type?: string
  text?: string
  parts?: RawPart[]
  title?: string
  context?: string
  cache?: CacheLifetime
  id?: string
  name?: string
  input?: unknown
  isError?: boolean
  thinking?: string
  signature?: string
  data?: string
  hosted?: Hosted
}

const row = rowsOf<Block>()

const cacheFields = {
  type: rowsOf<Cache>()('type', 'how it is kept', oneOf('ephemeral')),
  ttl: rowsOf<Cache>()('ttl', 'how long it is kept', oneOf('5m', '1h')),
}
type Cache = { type?: 'ephemeral'; ttl?: CacheLifetime }

export const cacheLifetime: Read<CacheLifetime> = (value) =>
  readFields<Cache>(cacheFields, record(value), {}).ttl ?? '5m'

const cacheTo = 'a mark up to which vendors that cache on request keep the prompt'
const cache_control = row('cache', cacheTo, cacheLifetime)

type Source = { type?: string; url?: string; media_type?: string; data?: string; parts?: RawPart[] }

const source = rowsOf<Source>()
const url = source('url', 'its address', someText)
const data = source('data', 'its content', someText)
const type = source('type', 'the kind', someText)

export const imageSources = {
  base64: { type, media_type: source('media_type', 'its media type', someText), data },
  url: { type, url },
  file: refused('needs the Files API, which is not offered: send the data itself'),
} satisfies Variants<Source>

export const documentSources = {
  ...imageSources,
  text: { type, media_type: ignored('it is text'), data },
  content: { type, content: source('parts', 'its parts', (value) => readParts(value)) },
} satisfies Variants<Source>

function addressOf({ url, media_type, data }: Source): string {
  if (url !== undefined) return url
  if (media_type !== undefined && data !== undefined) return `data:${media_type};base64,${data}`
  throw new FieldProblem('must have media_type and data')
}

const readImage: Read<RawPart[]> = (value) => [
  { type: 'image_url', url: addressOf(readVariant<Source>(imageSources, value, {})) },
]

const readDocument: Read<RawPart[]> = (value) => {
  const read = readVariant<Source>(documentSources, value, {})
  if (read.parts) return read.parts
  if (read.type === 'text') return [{ type: 'text', text: read.data ?? '' }]
  return [{ type: 'document', url: addressOf(read) }]
}

const citations = refused(
  'is not supported: answers have no citations',
  (value) => record(value).enabled !== true,
)
const toolset_name = refused('is not supported: declare each tool in tools')
const parts = row('parts', 'its parts', (value) => readParts(value))
const title = row('title', 'its title', text)

const simpleBlocks = {
  text: {
    type: kind,
    text: row('text', 'the text', text),
    cache_control,
    citations: ignored('it says where an earlier answer had its words from'),
  },
  image: {
    type: kind,
    source: row('parts', 'a picture, for models that see', readImage),
    cache_control,
    transformations: refused('is not supported: send the picture as the model should see it'),
  },
  document: {
    type: kind,
    source: row('parts', 'a PDF, for models that read them; a text; parts', readDocument),
    title,
    context: row('context', 'a text in front of it', text),
    citations,
    cache_control,
  },
  search_result: {
    type: kind,
    content: parts,
    source: row('context', 'a text in front of it', text),
    title,
    citations,
    cache_control,
  },
} satisfies Variants<Block>

/** What the result of a function consists of. */
export const resultBlocks = {
  ...simpleBlocks,
  tool_reference: {
    type: kind,
    tool_name: row('name', 'a text: every tool is shown to the model from the start', text),
    cache_control,
  },
  browser_state: refused('is not supported: send the page as text or as a picture'),
} satisfies Variants<Block>

const hosted = whole<Block>('a text, as the vendor wrote it', (block, given) => {
  const { type, cache_control: _, ...rest } = given
  block.text = `[${String(type)}] ${JSON.stringify(rest)}`
})

/** Anthropic gets its searches back as they were. */
const searched = whole<Block>('itself, for Anthropic; for others a text', (block, given) => {
  hosted.put(block, given)
  block.hosted = { form: 'anthropic', item: given }
})

/** What a message of a user or an assistant consists of. */
export const messageBlocks = {
  ...simpleBlocks,
  tool_result: {
    type: kind,
    tool_use_id: row('id', 'the call that it answers', someText),
    content: row('parts', 'its parts', (value) => readParts(value, resultBlocks)),
    is_error: row('isError', 'the mark of a call that failed', flag),
    cache_control,
    toolset_name,
  },
  tool_use: {
    type: kind,
    id: row('id', 'the id of the call', someText),
    name: row('name', 'the name of the function', someText),
    input: row('input', 'its arguments', anything),
    cache_control,
    caller: ignored('the model makes every call itself'),
    toolset_name,
  },
  thinking: {
    type: kind,
    thinking: row('thinking', 'the thought, for the vendor whose model had it', text),
    signature: row('signature', 'the same', text),
  },
  redacted_thinking: {
    type: kind,
    data: row('data', 'the thought, for the vendor whose model had it', text),
  },
  server_tool_use: searched,
  web_search_tool_result: searched,
  web_fetch_tool_result: hosted,
  advisor_tool_result: hosted,
  code_execution_tool_result: hosted,
  bash_code_execution_tool_result: hosted,
  text_editor_code_execution_tool_result: hosted,
  tool_search_tool_result: hosted,
  mcp_tool_use: hosted,
  mcp_tool_result: hosted,
  container_upload: refused('needs a container, which is not offered'),
  compaction: refused('is not supported: send the conversation itself, or a summary as text'),
  tool_addition: refused('is not supported: declare all tools in tools'),
  tool_removal: refused('is not supported: declare only what may be called in tools'),
  mcp_tool_listing: refused('is not supported: declare all tools in tools'),
  fallback: hosted,
} satisfies Variants<Block>

/** What a system prompt and instructions within the conversation consist of. */
export const instructionBlocks = {
  text: simpleBlocks.text,
  tool_addition: messageBlocks.tool_addition,
  tool_removal: messageBlocks.tool_removal,
} satisfies Variants<Block>

/** Text is shorthand for one block of text. */
export function readBlocks(value: unknown, variants: Variants<Block>): Block[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }]
  if (!Array.isArray(value)) throw new FieldProblem('must be text or a list of blocks')
  return value.map((one: unknown, index) => within(index, () => readBlock(one, variants)))
}

function readBlock(value: unknown, variants: Variants<Block>): Block {
  const block = readVariant<Block>(variants, value, {})
  const { type } = record(value)
  if (type === 'text') required(block.text, 'text')
  if (type === 'image' || type === 'document') required(block.parts, 'source')
  if (type === 'search_result') required(block.parts, 'content')
  return { ...block, type: String(type) }
}

const readParts = (value: unknown, variants: Variants<Block> = simpleBlocks): RawPart[] =>
  readBlocks(value, variants).flatMap(partsOf)

/** The parts of a block that is neither a call, its result nor a thought. */
export function partsOf(block: Block): RawPart[] {
  const { type, cache, title, context, name } = block
  const marked = cache === undefined ? {} : { cache }
  if (type === 'tool_reference') {
    return [{ type: 'text', text: `The tool ${name} can be called.`, ...marked }]
  }
  if (!block.parts) {
    const { text = '', hosted } = block
    return [{ type: 'text', text, ...marked, ...(hosted ? { hosted } : {}) }]
  }
  const words = [title, context].filter((one) => one !== undefined).join('\n')
  const head: RawPart[] = words === '' ? [] : [{ type: 'text', text: words }]
  const last = block.parts.length - 1
  const body = block.parts.map(
    (part, index): RawPart => ({
      ...part,
      ...(part.type === 'document' && title !== undefined ? { name: title } : {}),
      ...(index === last ? marked : {}),
    }),
  )
  return [...head, ...body]
}
