// Markdown -> blocks, also while the text is still arriving. `marked` finds the blocks; what is
// drawn from them is decided in markdown-elements.ts. Promises to end in reasonable time on any
// text: what its rules would take too long for is kept as plain text.
import { Lexer, Marked, type Token, type TokenizerExtension } from 'marked'

export type Block = {
  /** The text of the block. Equal blocks are drawn once. */
  raw: string
  token: Token
  /** For a heading: its level on the page, which never skips one. */
  level: number
}

/** A formula stays as it was written, or its underscores would become emphasis. */
const formula = (
  name: string,
  { level, begins, rule }: { level: 'block' | 'inline'; begins: RegExp; rule: RegExp },
): TokenizerExtension => ({
  name,
  level,
  start: (src) => begins.exec(src)?.index,
  tokenizer: (src) => {
    const raw = rule.exec(src)?.[0]
    return raw === undefined ? undefined : { type: name, raw, text: raw.trim() }
  },
})

const block = {
  level: 'block',
  begins: /(?<=\n)\$\$/,
  rule: /^\$\$[^$]{1,10000}\$\$(?:\n|$)/,
} as const
const inline = {
  level: 'inline',
  begins: /\$/,
  // "$5 and $10" is no formula: as in pandoc, no space inside the signs, no digit after the last.
  rule: /^\$\$(?!\s)[^$]{1,2000}\$\$|^\$(?!\s)(?:[^$\n\\]|\\.){1,500}(?<![\s\\])\$(?!\d)/,
} as const

const options = new Marked({
  gfm: true,
  breaks: true,
  extensions: [formula('mathsBlock', block), formula('maths', inline)],
}).defaults

/**
 * The rules for emphasis and formulas take quadratic time: 40 kB of `_a` took five seconds, 50 kB of
 * `_` a minute and a half. Real paragraphs have a few dozen of these characters.
 */
const maxMarks = 1_000
const isCostly = (src: string): boolean =>
  src.length > maxMarks && src.replace(/[^*_~$]+/g, '').length > maxMarks

/** Quotes and lists nested so deeply would exhaust the stack, or seconds. */
const tooDeep = /^(?: {0,3}>){40}|^[ \t]{80,}(?:[-*+]|\d+[.)]) |^(?:(?:[-*+]|\d+[.)]) +){40}/m

const plain = (text: string): Token => ({ type: 'text', raw: text, text })

function lex(text: string): Token[] {
  if (tooDeep.test(text)) return [plain(text)]
  const lexer = new Lexer(options)
  const inlineTokens = lexer.inlineTokens.bind(lexer)
  lexer.inlineTokens = (src, tokens = []) => {
    if (!isCostly(src)) return inlineTokens(src, tokens)
    tokens.push(plain(src))
    return tokens
  }
  try {
    return lexer.lex(text)
  } catch {
    // Whatever the text does to the lexer, it is shown.
    return [plain(text)]
  }
}

/** Headings of an answer stand below the one that names its author, an h2. */
const topLevel = 2

function toBlocks(tokens: readonly Token[], before: readonly Block[]): Block[] {
  let last = before.findLast(({ token }) => token.type === 'heading')?.level ?? topLevel
  return tokens
    .filter(({ type }) => type !== 'space' && type !== 'def')
    .map((token) => {
      if (token.type === 'heading') last = Math.min(topLevel + token.depth, last + 1, 6)
      return { raw: token.raw, token, level: last }
    })
}

export const lexMarkdown = (text: string): Block[] => toBlocks(lex(text), [])

/** How many blocks at the end may still change: "2" after a list is a paragraph until "." comes. */
const openBlocks = 2

/** The position of the first block that may still change. */
function firstOpen(tokens: readonly Token[]): number {
  let open = 0
  for (let at = tokens.length - 1; at >= 0; at--)
    if (tokens[at]?.type !== 'space' && ++open === openBlocks) return at
  return 0
}

/** Reads a growing text: only what follows the last closed block is examined again. */
export function createMarkdownReader(): (text: string) => readonly Block[] {
  let closedText = ''
  let closed: readonly Block[] = []
  return (given) => {
    // The lexer does the same, so that its blocks add up to the text.
    const text = given.replace(/\r\n?/g, '\n')
    if (!text.startsWith(closedText)) {
      closedText = ''
      closed = []
    }
    const tokens = lex(text.slice(closedText.length))
    const closing = tokens.slice(0, firstOpen(tokens))
    const blocks = toBlocks(tokens, closed)
    const stillOpen = tokens.slice(closing.length)
    closedText += closing.map(({ raw }) => raw).join('')
    const shown = [...closed, ...blocks]
    closed = shown.slice(0, shown.length - toBlocks(stillOpen, []).length)
    return shown
  }
}
