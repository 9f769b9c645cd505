// A block of Markdown as React elements, one switch over marked's tokens. Never makes HTML from
// text: tags are shown as they were written, pictures become links, and a link leads to https or
// mailto only. Without JSX, so that tests run it without a browser.
import type { MarkedToken, Token, Tokens } from 'marked'
import { type ComponentType, createElement as h, type ReactNode } from 'react'
import { decodeEntities } from './entities.ts'
import type { Block } from './lex-markdown.ts'

/** Components of the page, handed in because they are drawn with JSX. */
export type MarkdownParts = { Code: ComponentType<{ text: string; label: string }> }

/** A longer table would stall the page; copying the answer gives all of it. */
const maxRows = 500

export const blockElement = ({ token, level }: Block, parts: MarkdownParts): ReactNode =>
  token.type === 'heading'
    ? h(`h${level}`, { className: headingClass(token.depth) }, inline(token.tokens ?? [], parts))
    : element(token, parts)

const headingClass = (depth: number): string =>
  depth === 1
    ? 'mt-2 font-semibold text-xl'
    : depth === 2
      ? 'mt-2 font-semibold text-lg'
      : 'mt-1 font-semibold'

/** Tokens never change their order, so that their position identifies them. */
const inline = (tokens: readonly Token[], parts: MarkdownParts): ReactNode[] =>
  tokens.map((token, index) => h(Keyed, { key: index }, element(token, parts)))

const Keyed = ({ children }: { children?: ReactNode }): ReactNode => children

const wrapped = 'whitespace-pre-wrap [overflow-wrap:anywhere]'

function element(given: Token, parts: MarkdownParts): ReactNode {
  // Our own tokens are the only ones that marked's union does not name.
  if (given.type === 'maths') return h('code', { className: 'text-sm' }, given.text)
  if (given.type === 'mathsBlock')
    return h('pre', { className: `text-sm ${wrapped}` }, h('code', null, given.text))
  const token = given as MarkedToken
  const inner = (tokens: readonly Token[] | undefined) => inline(tokens ?? [], parts)
  switch (token.type) {
    case 'paragraph':
      return h('p', { className: '[overflow-wrap:anywhere]' }, inner(token.tokens))
    case 'heading':
      return h('p', { className: 'font-semibold' }, inner(token.tokens))
    case 'text':
      return token.tokens ? inner(token.tokens) : h(Plain, null, decodeEntities(token.text))
    case 'escape':
      return token.text
    case 'html':
      return h('span', { className: wrapped }, token.raw.trimEnd())
    case 'strong':
      return h('strong', { className: 'font-semibold' }, inner(token.tokens))
    case 'em':
      return h('em', null, inner(token.tokens))
    case 'del':
      return h('del', null, inner(token.tokens))
    case 'br':
      return h('br')
    case 'codespan':
      return h(
        'code',
        { className: 'rounded-sm bg-sunken px-1 [overflow-wrap:anywhere]' },
        token.text,
      )
    case 'code':
      return h(parts.Code, { text: token.text, label: languageOf(token) })
    case 'link':
      return linkElement(token.href, inner(token.tokens))
    case 'image':
      return linkElement(token.href, [decodeEntities(token.text) || 'Picture'])
    case 'hr':
      return h('hr', { className: 'border-line' })
    case 'blockquote':
      return h(
        'blockquote',
        { className: 'flex flex-col gap-2 border-control border-l-2 pl-4 text-soft' },
        inner(token.tokens),
      )
    case 'list':
      return listElement(token, parts)
    case 'checkbox':
      return h(
        'span',
        { role: 'img', 'aria-label': token.checked ? 'Done' : 'To do' },
        token.checked ? '☑ ' : '☐ ',
      )
    case 'table':
      return tableElement(token, parts)
    case 'list_item':
      return inner(token.tokens)
    case 'space':
    case 'def':
      return null
    default:
      return token satisfies never
  }
}

/** A text that the lexer left alone may have line breaks of its own. */
const Plain = ({ children }: { children?: string }): ReactNode =>
  children?.includes('\n') ? h('span', { className: wrapped }, children) : children

/** "js" of "js title=a.js"; what follows is for programs. */
const languageOf = ({ lang }: Tokens.Code): string =>
  /^[\w+#.-]{1,30}/.exec(lang ?? '')?.[0] ?? 'code'

function linkElement(href: string, children: ReactNode[]): ReactNode {
  const address = URL.parse(decodeEntities(href))
  if (address?.protocol !== 'https:' && address?.protocol !== 'mailto:')
    return h('span', null, ...children)
  return h(
    'a',
    {
      href: address.href,
      target: '_blank',
      rel: 'noreferrer noopener nofollow',
      className: 'underline [overflow-wrap:anywhere]',
    },
    ...children,
  )
}

function listElement({ ordered, start, loose, items }: Tokens.List, parts: MarkdownParts) {
  const drawn = items.map((item, index) =>
    h(
      'li',
      { key: index, className: loose ? 'space-y-2' : item.task ? '-ml-5 list-none' : undefined },
      inline(item.tokens, parts),
    ),
  )
  const className = `${ordered ? 'list-decimal' : 'list-disc'} space-y-1 pl-6 [overflow-wrap:anywhere]`
  return ordered
    ? h('ol', { className, start: typeof start === 'number' ? start : 1 }, drawn)
    : h('ul', { className }, drawn)
}

const aligned = { left: 'text-left', center: 'text-center', right: 'text-right' }

function tableElement({ header, rows }: Tokens.Table, parts: MarkdownParts) {
  const cell = (kind: 'td' | 'th', { tokens, align }: Tokens.TableCell, index: number) =>
    h(
      kind,
      {
        key: index,
        className: `border-line border-b px-3 py-1.5 align-top ${aligned[align ?? 'left']}`,
        ...(kind === 'th' ? { scope: 'col' } : {}),
      },
      inline(tokens, parts),
    )
  const drawn = rows.slice(0, maxRows).map((row, index) =>
    h(
      'tr',
      { key: index },
      row.map((one, at) => cell('td', one, at)),
    ),
  )
  const table = h(
    'table',
    { className: 'min-w-full border-collapse text-sm' },
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        header.map((one, at) => cell('th', one, at)),
      ),
    ),
    h('tbody', null, drawn),
  )
  return h(
    'section',
    // What scrolls must be reachable by keyboard.
    { 'aria-label': 'Table', tabIndex: 0, className: 'overflow-x-auto' },
    table,
    rows.length > maxRows &&
      h(
        'p',
        { className: 'px-3 py-1.5 text-soft text-sm' },
        `${rows.length - maxRows} more rows. Copy the answer to get all of them.`,
      ),
  )
}
