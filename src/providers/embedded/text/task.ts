// Finds out what is asked, and of which text: people put the instruction before the text, after
// it, in the system prompt, or leave it out.
import type { Message, TextRequest } from '../../provider.ts'
import { type PictureHeader, readPictureHeader } from '../picture.ts'
import { maxReadLength } from './tokens.ts'

export type PictureNote = { header: PictureHeader | null; sizeBytes: number }

export type Task = {
  /** The instruction; may be empty. */
  ask: string
  /** The text it is about; may be empty. */
  material: string
  /** What was said before, oldest first, and the system's words. */
  background: string
  pictures: PictureNote[]
  wantsJson: boolean
  writesCode: boolean
}

/** People put the instruction first or last: of a long text the middle is left out. */
const headShare = 0.75

export function readTask(request: TextRequest): Task {
  const said = request.messages.filter(({ role }) => role !== 'system')
  const last = said.findLastIndex(({ role }) => role === 'user')
  const system = [
    request.systemPrompt ?? '',
    ...request.messages.filter(({ role }) => role === 'system').map(textOf),
  ]
  const earlier = said.filter((_, i) => i !== last).map(textOf)
  const spoken = said[last]
  const text = clip(spoken ? textOf(spoken) : '')
  const rules = clip(system.filter((part) => part !== '').join('\n\n'))
  const background = clip([rules, ...earlier].filter((part) => part !== '').join('\n\n'))
  const { ask, material } = bySystem(rules, text) ?? splitAsk(text)
  return {
    ask: ask.slice(0, 4000),
    material,
    background,
    pictures: request.messages.flatMap(picturesOf),
    wantsJson: request.responseFormat === 'json' || asksForJson(ask) || asksForJson(rules),
    writesCode: request.model === 'demo-code',
  }
}

/** The system's words are the instruction where they speak of the user's text, or the user gives none. */
function bySystem(rules: string, text: string): Split | undefined {
  if (text === '' || rules === '') return undefined
  const opening = rules.slice(0, 2000)
  const claims =
    /\b(?:user(?:['’]s|s)?|given|provided|following|incoming|their|each) (?:message|input|text|question|review|request|article|content|comment|ticket|e-?mail|post|document|story|description)s?\b/i
  const orders = opening
    .split(/[.\n]/)
    .some((part) => !/^\s{0,9}you are\b/i.test(part) && isCommand(part))
  if (!orders) return undefined
  const own = splitAsk(text)
  const silent = own.ask === '' || (own.material === '' && !isCommand(own.ask))
  return silent || claims.test(opening) ? { ask: rules, material: text } : undefined
}

export const textOf = ({ content }: Message): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')

const picturesOf = ({ content }: Message): PictureNote[] =>
  typeof content === 'string'
    ? []
    : content.flatMap((part) =>
        part.type === 'image'
          ? [{ header: readPictureHeader(part.media.bytes), sizeBytes: part.media.bytes.length }]
          : [],
      )

function clip(text: string): string {
  const clean = text.replaceAll('\r\n', '\n')
  if (clean.length <= maxReadLength) return clean
  const head = maxReadLength * headShare
  return `${clean.slice(0, head)}\n\n${clean.slice(head - maxReadLength)}`
}

const asksForJson = (text: string) =>
  /\bjson\b/i.test(text.slice(0, 4000)) &&
  !/\b(?:function|script|parse[rs]?|parsing)\b/i.test(text.slice(0, 4000))

type Split = { ask: string; material: string }

const maxAskLength = 600

function splitAsk(text: string): Split {
  const trimmed = text.trim()
  return (
    byLabels(trimmed) ??
    byFence(trimmed) ??
    byParagraphs(trimmed) ??
    byColon(trimmed) ??
    byQuotes(trimmed) ??
    (trimmed.length <= maxAskLength || isCommand(trimmed)
      ? { ask: trimmed, material: '' }
      : { ask: '', material: trimmed })
  )
}

const materialLabel =
  /^(?:context|texts?|articles?|documents?|passages?|input|content|sources?|transcript|notes?|review|message|e-?mail|feedback|data)\s{0,3}:/i
const askLabel = /^(?:question|q|task|instructions?|request|query|goal)\s{0,3}:/i
const answerLabel = /^(?:answer|a|output|response|summary|result)\s{0,3}:\s{0,3}$/i

/** "Context: … Question: …", each label at the start of a line. */
function byLabels(text: string): Split | undefined {
  const parts = { ask: [] as string[], material: [] as string[] }
  let into: 'ask' | 'material' | undefined
  let unlabelled = ''
  for (const line of text.split('\n')) {
    if (answerLabel.test(line)) continue
    const heading = into === 'ask' && /^\p{Lu}[\p{L} ]{2,30}:\s{0,3}$/u.test(line)
    const label = askLabel.test(line)
      ? 'ask'
      : heading || materialLabel.test(line)
        ? 'material'
        : undefined
    if (label) into = label
    const rest = label ? line.slice(line.indexOf(':') + 1).trim() : line
    if (into) parts[into].push(rest)
    else unlabelled += `${line}\n`
  }
  const material = parts.material.join('\n').trim()
  const ask = parts.ask.join('\n').trim()
  if (material === '') return ask === '' ? undefined : { ask, material: unlabelled.trim() }
  return { ask: [unlabelled.trim(), ask].filter((part) => part !== '').join('\n'), material }
}

/** The text stands between marks: ``` … ```, """ … """ or <text> … </text>. */
function byFence(text: string): Split | undefined {
  for (const fence of ['```', '"""', "'''"]) {
    const open = text.indexOf(fence)
    const close = text.lastIndexOf(fence)
    if (open < 0 || close <= open) continue
    const inside = text.slice(open + fence.length, close)
    // ```json or ```ts: a word right after the fence names what is inside.
    const material = fence === '```' ? inside.replace(/^[a-z]{0,20}\n/i, '') : inside
    const ask = `${text.slice(0, open)}\n${text.slice(close + fence.length)}`.trim()
    return { ask, material: material.trim() }
  }
  const tag = /<([a-z][a-z0-9_-]{0,30})>/i.exec(text.slice(0, 2000))
  const close = tag ? text.lastIndexOf(`</${tag[1]}>`) : -1
  if (!tag || close < tag.index) return undefined
  const end = close + tag[0].length + 1
  const ask = `${text.slice(0, tag.index)}\n${text.slice(end)}`.trim()
  return { ask, material: text.slice(tag.index + tag[0].length, close).trim() }
}

function byParagraphs(text: string): Split | undefined {
  const paragraphs: string[][] = [[]]
  for (const line of text.split('\n')) {
    if (line.trim() === '') paragraphs.push([])
    else paragraphs.at(-1)?.push(line)
  }
  const blocks = paragraphs.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'))
  const [first, last] = [blocks[0] ?? '', blocks.at(-1) ?? '']
  if (blocks.length > 1) {
    if (first.length <= maxAskLength && isCommand(first)) {
      return { ask: first, material: blocks.slice(1).join('\n\n') }
    }
    if (last.length <= maxAskLength && isCommand(last)) {
      return { ask: last, material: blocks.slice(0, -1).join('\n\n') }
    }
    return undefined
  }
  const end = first.indexOf('\n')
  const head = end < 0 ? '' : first.slice(0, end)
  if (head !== '' && head.length <= maxAskLength && isCommand(head)) {
    return { ask: head, material: first.slice(end + 1) }
  }
  return undefined
}

/** "Summarize this: …" on one line. */
function byColon(text: string): Split | undefined {
  const at = text.slice(0, maxAskLength).search(/:\s/)
  if (at < 0 || !isCommand(text.slice(0, at))) return undefined
  return { ask: text.slice(0, at), material: text.slice(at + 1).trim() }
}

function byQuotes(text: string): Split | undefined {
  for (const [open, close] of [
    ['"', '"'],
    ['“', '”'],
    ['«', '»'],
  ] as const) {
    const from = text.indexOf(open)
    const to = text.lastIndexOf(close)
    if (from < 0 || to < from + 4) continue
    const ask = `${text.slice(0, from)} ${text.slice(to + 1)}`.trim()
    if (isCommand(ask)) return { ask, material: text.slice(from + 1, to) }
  }
  return undefined
}

const commandWords = new Set(
  `summarize summarise summary summarizing tldr tl condense shorten shorter translate extract list find identify give
  write create generate draft compose make turn convert rewrite rephrase paraphrase simplify fix
  correct proofread format classify categorize categorise label rate score grade evaluate judge
  analyze analyse detect tell explain describe calculate compute solve count sort reverse uppercase
  lowercase capitalize answer reply respond return output say repeat echo name suggest propose
  brainstorm outline plan compare decide determine choose pick implement produce provide show
  remove replace what who whom when where why how which is are does do did can could should will
  would was were has have`.split(/\s+/),
)

/** Begins like an order or a question, or ends like one. */
export function isCommand(text: string): boolean {
  const start = text.slice(0, 400).toLowerCase()
  const words = start.match(/[\p{L}\p{N}']+/gu) ?? []
  return (
    words.slice(0, 5).some((word) => commandWords.has(word)) || /[?:]\s*$/.test(text.slice(-20))
  )
}
