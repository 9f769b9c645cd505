import { type Printer, type Style, word } from './printer.ts'

export type Cell = string | { text: string; style: Style }

// Wide characters take two columns on a terminal.
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u

export const widthOf = (text: string): number =>
  [...text].reduce((sum, char) => sum + (wide.test(char) ? 2 : 1), 0)

export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  let used = 1
  for (const char of text) {
    used += widthOf(char)
    if (used > width) break
    kept += char
  }
  return `${kept}…`
}

/** Aligns columns. On a terminal the last one is cut to fit; in a pipe nothing is cut. */
export function tableLines(
  { paint, width }: Pick<Printer, 'paint' | 'width'>,
  rows: readonly (readonly Cell[])[],
): string[] {
  const cells = rows.map((row) =>
    row.map((cell) => (typeof cell === 'string' ? { text: word(cell), style: null } : cell)),
  )
  const widths: number[] = []
  for (const row of cells) {
    row.forEach(({ text }, i) => {
      widths[i] = Math.max(widths[i] ?? 0, widthOf(text))
    })
  }
  return cells.map((row) => {
    let left = width() - 1
    const columns: string[] = []
    row.forEach(({ text, style }, i) => {
      if (left < 1) return
      const shown = cut(text, left)
      const isLast = i === row.length - 1
      const taken = Math.min(widths[i] ?? 0, left)
      const filled = isLast ? shown : shown + ' '.repeat(Math.max(0, taken - widthOf(shown)))
      columns.push(style === null ? filled : paint(style, filled))
      left -= taken + 2
    })
    return columns.join('  ').trimEnd()
  })
}

export function printTable(printer: Printer, head: readonly string[], rows: readonly Cell[][]) {
  const titles = head.map((text): Cell => ({ text, style: 'dim' }))
  for (const line of tableLines(printer, [titles, ...rows])) printer.line(line)
}

/** Breaks between words; a word that is too long gets a line of its own. */
export function wrap(text: string, width: number): string[] {
  const lines = ['']
  for (const next of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && widthOf(last) + 1 + widthOf(next) > width) lines.push(next)
    else lines[lines.length - 1] = last === '' ? next : `${last} ${next}`
  }
  return lines
}
