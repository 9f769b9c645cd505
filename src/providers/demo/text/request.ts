// Separates the instruction from the text it is about: people put the instruction before the text,
// after it, in the system prompt, or leave it out.
import type { Message, TextRequest } from '../../provider.ts'
import { wordsOf } from './language.ts'
import { maxReadLength } from './tokens.ts'

/** The instruction and the text it is about; either may be empty. */
type Split = { ask: string; material: string }

/** `rules` are the system messages, `earlier` the rest of the conversation, oldest first. */
export type Task = Split & {
  rules: string
  earlier: string
  pictures: number
  wantsJson: boolean
  writesCode: boolean
}

export function readTask({
  model,
  messages,
  systemPrompt = '',
  responseFormat,
}: TextRequest): Task {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const said = (isMeant: (message: Message, index: number) => boolean) =>
    messages.filter(isMeant).map(textOf).join('\n\n')
  const rules = clip(`${systemPrompt}\n\n${said(({ role }) => role === 'system')}`)
  const text = clip(said((_, index) => index === last))
  const own = splitAsk(text)
  // A command in the system prompt applies to what the user sends, unless that is one itself.
  const isOrdered = text !== '' && isCommand(rules) && !isCommand(own.ask)
  const { ask, material } = isOrdered ? { ask: rules, material: text } : own
  const orders = [ask, rules].map((words) => words.slice(0, maxOrderLength))
  return {
    ask: orders[0] ?? '',
    material,
    rules,
    earlier: clip(said(({ role }, index) => role !== 'system' && index !== last)),
    pictures: messages.flatMap(picturesOf).length,
    wantsJson: responseFormat === 'json' || orders.some((words) => /\bjson\b/i.test(words)),
    writesCode: model === 'demo-code',
  }
}

export const textOf = ({ content }: Message): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')

const picturesOf = ({ content }: Message) =>
  typeof content === 'string' ? [] : content.filter(({ type }) => type === 'image')

/** The instruction is first or last, so the middle of a long text is left out. */
function clip(text: string): string {
  const clean = text.replaceAll('\r\n', '\n').trim()
  if (clean.length <= maxReadLength) return clean
  const head = maxReadLength * 0.75
  return `${clean.slice(0, head)}\n\n${clean.slice(head - maxReadLength)}`
}

const maxOrderLength = 4000
/** The limit for an instruction that comes with a text. */
const maxAskLength = 600

/** The command is the first paragraph or line, the last paragraph, or whatever precedes a colon. */
function splitAsk(text: string): Split {
  const fenced = byFence(text)
  if (fenced) return fenced
  const [blank, last] = [text.indexOf('\n\n'), text.lastIndexOf('\n\n')]
  const first = blank >= 0 ? blank : text.indexOf('\n')
  const colon = text.slice(0, maxAskLength).search(/:\s/)
  const ends = [
    { ask: text.slice(0, Math.max(0, first)), material: text.slice(first) },
    { ask: last < 0 ? '' : text.slice(last), material: text.slice(0, last) },
    { ask: text.slice(0, Math.max(0, colon)), material: text.slice(colon + 1) },
  ]
  const found = ends.find(({ ask }) => ask && ask.length <= maxAskLength && isCommand(ask))
  if (found) return { ask: found.ask.trim(), material: found.material.trim() }
  const isShort = text.length <= maxAskLength || beginsAsCommand(text)
  return isShort ? { ask: text, material: '' } : { ask: '', material: text }
}

/** The text is enclosed in three backticks, three quotes or a pair of tags. */
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

const commandWords = new Set(
  `summarize summarise summary sum tldr tl condense shorten translate extract list find give write
  create draft make turn rewrite fix classify rate analyze tell explain describe calculate compute
  count answer reply respond return say repeat suggest compare review choose fill show what who when
  where why how which is are does do did can could should will`.split(/\s+/),
)

const beginsAsCommand = (text: string): boolean =>
  wordsOf(text.slice(0, 400).toLowerCase())
    .slice(0, 5)
    .some((word) => commandWords.has(word))

/** Begins or ends like a command or a question. */
const isCommand = (text: string): boolean =>
  beginsAsCommand(text) || /[?:]\s{0,9}$/.test(text.slice(-20))
