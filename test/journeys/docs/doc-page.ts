import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../..', import.meta.url))

export type Block = {
  language: string
  text: string
  line: number
  /** Why a test does not run it: `<!-- not run: … -->` on the line before. */
  notRun: string | null
  /** Whether nothing stands between the block before and this one. */
  isNext: boolean
}

/** A command of a page, and what the page says it prints; null if it says nothing. */
export type Command = { line: number; text: string; shown: string | null; isJson: boolean }

export function blocksOf(path: string): Block[] {
  const text = readFileSync(`${root}${path}`, 'utf8')
  const fence = /(?:^<!-- not run: (.+) -->\n+)?^( *)```(.*)\n([\s\S]*?)^ *```$/gm
  let end = 0
  return [...text.matchAll(fence)].map((match) => {
    const isNext = end > 0 && text.slice(end, match.index).trim() === ''
    end = match.index + match[0].length
    return {
      isNext,
      notRun: match[1] ?? null,
      language: match[3] ?? '',
      text: (match[4] ?? '').replaceAll(new RegExp(`^${match[2]}`, 'gm'), ''),
      line: text.slice(0, match.index).split('\n').length,
    }
  })
}

/** Each MODELS_FILE that the page shows. */
export const modelsFilesOf = (path: string): Block[] =>
  blocksOf(path).filter(
    ({ language, text }) =>
      language === 'json' &&
      /^\{\s*"(?:endpoints|models|deployments|routes|limits)":/.test(text.trim()),
  )

/** The first one, if it defines routes or deployments. */
export const modelsFileOf = (path: string): string | undefined =>
  modelsFilesOf(path).find(({ text }) => /^\s*"(?:routes|deployments)":/m.test(text))?.text

/**
 * What a reader of the page types, in order. In a `console` block a command follows `$ `, and its
 * output follows it; rows that are indented continue the command. A `sh` block is one command; a
 * `text` or `json` block right after it is its output.
 */
export function commandsOf(path: string): Command[] {
  const blocks = blocksOf(path)
  return blocks.flatMap((block, index): Command[] => {
    if (block.notRun !== null) return []
    if (block.language === 'console') return sessionOf(block)
    if (block.language !== 'sh') return []
    const next = blocks[index + 1]
    const isShown = next?.isNext === true && /^(?:text|json)$/.test(next.language) && !next.notRun
    return [
      {
        line: block.line,
        text: block.text,
        shown: isShown ? next.text : null,
        isJson: isShown && next.language === 'json',
      },
    ]
  })
}

function sessionOf({ text, line }: Block): Command[] {
  const commands: Command[] = []
  for (const [index, row] of text.trimEnd().split('\n').entries()) {
    const last = commands.at(-1)
    if (row.startsWith('$ ')) {
      commands.push({ line: line + index + 1, text: row.slice(2), shown: '', isJson: false })
    } else if (last?.shown === '' && row.startsWith('    ')) last.text += `\n${row}`
    else if (last) last.shown += `${row}\n`
  }
  return commands
}

/** Replaces what differs from one execution to the next. */
const alike = (text: string) =>
  text
    .replace(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, 'ID')
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:[\d:.]+Z?/g, 'TIME')
    .replace(/exp=\d+&sig=[\w-]+/g, 'SIGNED')
    .replace(/"created":\d+/g, '"created":TIME')
    .replace(/\b(?:req_|sk_|whsec_)[\w…=+/-]+/g, 'SECRET')
    .replace(/\b(?:\d+ min )?\d+(?:\.\d+)? (?:ms|s|GiB|MiB|kB)\b/g, 'AMOUNT')
    .replace(/[ \t]+/g, ' ')
    .trim()

/** `…` in the page stands for anything. The page may lay out JSON as it likes. */
export function isAsShown(shown: string, printed: string, isJson: boolean): boolean {
  const plain = (text: string) => (isJson ? alike(text).replace(/\s+/g, '') : alike(text))
  const pieces = plain(shown).split('…').map(RegExp.escape)
  return new RegExp(`^${pieces.join('[\\s\\S]*')}$`).test(plain(printed))
}
