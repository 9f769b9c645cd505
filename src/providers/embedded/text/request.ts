// Finds out what is asked, and of which text: people put the instruction before the text, after
// it, in the system prompt, or leave it out.

import { type PictureHeader, readPictureHeader } from '#core/picture-header.ts'
import type { Message, TextRequest } from '../../provider.ts'
import { maxReadLength } from './tokens.ts'

export type PictureNote = { header: PictureHeader | null; sizeBytes: number }

/** The instruction and the text it is about; either may be empty. */
type Split = { ask: string; material: string }

export type Task = Split & {
  /** The system's words and what was said before, oldest first. */
  background: string
  pictures: PictureNote[]
  wantsJson: boolean
  writesCode: boolean
}

export function readTask(request: TextRequest): Task {
  const said = request.messages.filter(({ role }) => role !== 'system')
  const last = said.findLastIndex(({ role }) => role === 'user')
  const system = request.messages.filter(({ role }) => role === 'system').map(textOf)
  const rules = clip([request.systemPrompt ?? '', ...system].join('\n\n').trim())
  const earlier = said.filter((_, index) => index !== last).map(textOf)
  const spoken = said[last]
  const text = clip(spoken ? textOf(spoken) : '').trim()
  const own = splitAsk(text)
  // Orders of the system are about whatever the user sends, unless that is an order itself.
  const isOrdered = text !== '' && isCommand(rules) && !isCommand(own.ask)
  const { ask, material } = isOrdered ? { ask: rules, material: text } : own
  return {
    ask: ask.slice(0, 4000),
    material,
    background: clip([rules, ...earlier].join('\n\n').trim()),
    pictures: request.messages.flatMap(picturesOf),
    wantsJson:
      request.responseFormat === 'json' ||
      [ask, rules].some((words) => /\bjson\b/i.test(words.slice(0, 4000))),
    writesCode: request.model === 'demo-code',
  }
}

export const textOf = ({ content }: Message): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')

function picturesOf({ content }: Message): PictureNote[] {
  if (typeof content === 'string') return []
  return content.flatMap((part) => {
    if (part.type !== 'image') return []
    const { bytes } = part.media
    return [{ header: readPictureHeader(bytes), sizeBytes: bytes.length }]
  })
}

/** The instruction stands first or last: of a long text the middle is left out. */
function clip(text: string): string {
  const clean = text.replaceAll('\r\n', '\n')
  if (clean.length <= maxReadLength) return clean
  const head = maxReadLength * 0.75
  return `${clean.slice(0, head)}\n\n${clean.slice(head - maxReadLength)}`
}

const maxAskLength = 600

function splitAsk(text: string): Split {
  const isShort = text.length <= maxAskLength || beginsAsCommand(text)
  const whole = isShort ? { ask: text, material: '' } : { ask: '', material: text }
  return byFence(text) ?? byParagraphs(text) ?? byColon(text) ?? whole
}

/** The text stands between marks: three backticks or quotes, or a pair of tags. */
function byFence(text: string): Split | undefined {
  const tag = /<([a-z][a-z0-9_-]{0,30})>/i.exec(text.slice(0, 2000))?.[1]
  const tags = tag ? [[`<${tag}>`, `</${tag}>`]] : []
  for (const [open = '', close = ''] of [['```', '```'], ['"""', '"""'], ...tags]) {
    const from = text.indexOf(open)
    const to = text.lastIndexOf(close)
    if (from < 0 || to < from + open.length) continue
    const ask = `${text.slice(0, from)}\n${text.slice(to + close.length)}`.trim()
    return { ask, material: text.slice(from + open.length, to).trim() }
  }
  return undefined
}

/** A command in the first paragraph or line, or in the last paragraph. */
function byParagraphs(text: string): Split | undefined {
  const [blank, last] = [text.indexOf('\n\n'), text.lastIndexOf('\n\n')]
  const first = blank >= 0 ? blank : text.indexOf('\n')
  if (first > 0 && first <= maxAskLength && isCommand(text.slice(0, first))) {
    return { ask: text.slice(0, first), material: text.slice(first).trim() }
  }
  if (last > 0 && text.length - last <= maxAskLength && isCommand(text.slice(last))) {
    return { ask: text.slice(last).trim(), material: text.slice(0, last) }
  }
  return undefined
}

/** "Summarize this: …" on one line. */
function byColon(text: string): Split | undefined {
  const at = text.slice(0, maxAskLength).search(/:\s/)
  if (at < 0 || !isCommand(text.slice(0, at))) return undefined
  return { ask: text.slice(0, at), material: text.slice(at + 1).trim() }
}

const commandWords = new Set(
  `summarize summarise summary tldr tl condense shorten translate extract list find give write create
  draft make turn rewrite fix classify rate analyze tell explain describe calculate compute count
  answer reply respond return say repeat suggest compare review choose fill show what who when where
  why how which is are does do did can could should will`.split(/\s+/),
)

const beginsAsCommand = (text: string): boolean =>
  (
    text
      .slice(0, 400)
      .toLowerCase()
      .match(/[\p{L}\p{N}']+/gu) ?? []
  )
    .slice(0, 5)
    .some((word) => commandWords.has(word))

/** Begins like an order or a question, or ends like one. */
const isCommand = (text: string): boolean =>
  beginsAsCommand(text) || /[?:]\s{0,9}$/.test(text.slice(-20))
