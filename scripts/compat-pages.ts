// The parts of the pages on compatible APIs that follow from their tables. Each table of fields is
// between two comments, the first of which names it: `<!-- fields: request -->`.
import {
  documentSources,
  imageSources,
  messageBlocks,
  resultBlocks,
} from '../src/compat/anthropic/blocks.ts'
import { messageFields } from '../src/compat/anthropic/messages.ts'
import {
  editKinds,
  outputFields,
  requestFields,
  thinkingKinds,
} from '../src/compat/anthropic/messages-request.ts'
import { choiceKinds, toolKinds } from '../src/compat/anthropic/tools.ts'
import { embedFields } from '../src/compat/gemini/embeddings.ts'
import { requestFields as geminiRequest } from '../src/compat/gemini/generate-request.ts'
import { configFields, thinkingFields } from '../src/compat/gemini/generation-config.ts'
import * as parts from '../src/compat/gemini/parts.ts'
import {
  callingFields,
  declarationFields,
  searchFields,
  toolFields,
} from '../src/compat/gemini/tools.ts'
import { notOfferedOfAnthropic, notOfferedOfOpenAi } from '../src/compat/not-offered.ts'
import { requestFields as chatFields } from '../src/compat/openai/chat-request.ts'
import { embeddingFields } from '../src/compat/openai/embeddings.ts'
import { editFields } from '../src/compat/openai/images.ts'
import { messageFields as chatMessages } from '../src/compat/openai/messages.ts'
import { chatParts } from '../src/compat/openai/parts.ts'
import { itemKinds } from '../src/compat/openai/response-items.ts'
import {
  choiceKinds as responseChoice,
  toolKinds as responseTools,
} from '../src/compat/openai/response-tools.ts'
import {
  reasoningFields,
  requestFields as responseFields,
  textFields,
} from '../src/compat/openai/responses-request.ts'
import { speechFields } from '../src/compat/openai/speech.ts'
import { chatChoiceKinds, chatToolKinds } from '../src/compat/openai/tools.ts'
import { transcriptionFields } from '../src/compat/openai/transcriptions.ts'

/** The generated parts of each page, by their names. */
export const compatPages: Record<string, Record<string, object>> = {
  'docs/anthropic-compatible.md': {
    request: requestFields,
    output_config: outputFields,
    thinking: thinkingKinds,
    context: editKinds,
    messages: messageFields,
    blocks: messageBlocks,
    results: resultBlocks,
    image: imageSources,
    document: documentSources,
    tools: toolKinds,
    choice: choiceKinds,
  },
  'docs/openai-compatible.md': {
    chat: chatFields,
    messages: chatMessages,
    parts: chatParts,
    'chat-tools': chatToolKinds,
    'chat-choice': chatChoiceKinds,
    response: responseFields,
    reasoning: reasoningFields,
    text: textFields,
    items: itemKinds,
    'response-tools': responseTools,
    'response-choice': responseChoice,
    embeddings: embeddingFields,
    images: editFields,
    speech: speechFields,
    transcriptions: transcriptionFields,
  },
  'docs/gemini-compatible.md': {
    request: geminiRequest,
    config: configFields,
    thinking: thinkingFields,
    parts: parts.partFields,
    inline: parts.inlineFields,
    file: parts.fileFields,
    call: parts.callFields,
    result: parts.resultFields,
    tools: toolFields,
    declarations: declarationFields,
    search: searchFields,
    calling: callingFields,
    embeddings: embedFields,
  },
}

/** What each API lacks, listed between two comments of its page. */
export const notOfferedPages: Record<string, Readonly<Record<string, string>>> = {
  'docs/openai-compatible.md': notOfferedOfOpenAi,
  'docs/anthropic-compatible.md': notOfferedOfAnthropic,
}

const [begin, end] = ['<!-- not offered -->', '<!-- end of not offered -->']

/** The page with that list written anew. */
export function withNotOffered(page: string, table: Readonly<Record<string, string>>): string {
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error(`the page lacks ${begin}`)
  const rows = merged(
    Object.entries(table).map(([path, words]) => [`/v1${path.replace('/*', '/…')}`, words]),
  )
  const list = ['| Address | Instead |', '|---|---|', ...rows].join('\n')
  return `${before}${begin}\n${list}\n${end}${after}`
}

const part = /<!-- fields: (?<name>[\w-]+) -->\n[\s\S]*?<!-- end of fields -->/g

/** The page with its parts written anew. */
export function withFields(page: string, tables: Record<string, object>): string {
  const missing = new Set(Object.keys(tables))
  const text = page.replace(part, (_, name: string) => {
    const table = tables[name]
    if (!table) throw new Error(`no table is called ${name}`)
    missing.delete(name)
    return `<!-- fields: ${name} -->\n${fieldTable(table)}\n<!-- end of fields -->`
  })
  if (missing.size > 0) throw new Error(`the page lacks the fields of ${[...missing].join(', ')}`)
  return text
}

type Row = { use: string; to?: string; why?: string; say?: string }

function fieldTable(table: object): string {
  const rows = linesOf('', table)
  return ['| Field | What becomes of it |', '|---|---|', ...merged(rows)].join('\n')
}

function linesOf(name: string, table: object): [name: string, words: string][] {
  if ('use' in table) return isKind(table) ? [] : [[name, wordsOf(table as Row)]]
  return Object.entries(table).flatMap(([field, row]) =>
    linesOf(name === '' ? field : `${name}.${field}`, row),
  )
}

const isKind = (row: object) =>
  ('why' in row && row.why === 'names the kind') || ('to' in row && row.to === 'the kind')

function wordsOf({ use, to, why, say }: Row): string {
  if (use === 'refused') return `**refused:** ${say}`
  return use === 'ignored' ? `*without effect:* ${why}` : (to ?? '')
}

/** Neighbours of which the same is said share a line. */
function merged(rows: readonly [string, string][]): string[] {
  const lines: { names: string[]; words: string }[] = []
  for (const [name, words] of rows) {
    const same = lines.find((line) => line.words === words)
    if (same) same.names.push(`\`${name}\``)
    else lines.push({ names: [`\`${name}\``], words })
  }
  return lines.map(
    ({ names, words }) => `| ${names.join(', ')} | ${words.replaceAll('|', '\\|')} |`,
  )
}
