// Words set in lines: what the font can draw, broken where it fits. One font from one package:
// system fonts would make pictures differ between machines.
import { fileURLToPath } from 'node:url'

export const fontPaths: Record<'600' | '800', string> = {
  600: fileURLToPath(
    import.meta.resolve('@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf'),
  ),
  800: fileURLToPath(
    import.meta.resolve('@expo-google-fonts/inter/800ExtraBold/Inter_800ExtraBold.ttf'),
  ),
}

/** Latin, Greek and Cyrillic with their marks: what the font has. */
const drawable =
  /[\u0021-\u024f\u1e00-\u1eff\p{Script=Greek}\u0400-\u04ff\u2010-\u2027\u2030-\u203a\u20ac\u2122\u2190-\u2193\u2212]/u

const unprintable = 'The demo font cannot print the words of this prompt.'

/** What can be printed of a prompt, on one line; the rest would come out as boxes. */
export function printable(prompt: string): string {
  const kept = Array.from(prompt.slice(0, 2000).normalize('NFC'), (char) =>
    drawable.test(char) && !/\p{C}/u.test(char) ? char : ' ',
  )
  const text = kept.join('').replace(/ +/g, ' ').trim()
  if (/[\p{L}\p{N}]/u.test(text)) return text
  return prompt.trim() === '' ? '' : unprintable
}

/** In ems, a little generous: a line may end early, but never runs over. */
function widthOf(text: string): number {
  let width = 0
  for (const char of text) {
    if (/[iljI.,:;'’|!()[\] ]/.test(char)) width += 0.32
    else if (/[ftr"“”/\\-]/.test(char)) width += 0.43
    else if (/[mwMW@%—…&]/.test(char)) width += 0.98
    else width += /[\p{Lu}Ж-ЩЫЮжшщыю]/u.test(char) ? 0.74 : 0.63
  }
  return width
}

/** Lines of at most `room` ems; a word that is longer is cut within itself. */
function wrap(text: string, room: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap((whole) => cut(whole, room))) {
    const longer = line === '' ? word : `${line} ${word}`
    if (widthOf(longer) <= room) line = longer
    else {
      lines.push(line)
      line = word
    }
  }
  return [...lines, line].filter((words) => words !== '')
}

function cut(word: string, room: number): string[] {
  if (widthOf(word) <= room) return [word]
  const pieces: string[] = []
  let piece = ''
  for (const char of word) {
    if (piece !== '' && widthOf(piece + char) > room) {
      pieces.push(piece)
      piece = ''
    }
    piece += char
  }
  return [...pieces, piece]
}

/** The narrowest setting that needs no further line leaves no last word alone. */
function balanced(text: string, room: number, narrowest: number): string[] {
  let lines = wrap(text, room)
  for (let narrow = room * 0.97; narrow > narrowest; narrow *= 0.97) {
    const tighter = wrap(text, narrow)
    if (tighter.length > lines.length) break
    lines = tighter
  }
  return lines
}

/** At most `maxLines`; text that is left over ends in "…". */
export function setLines(text: string, room: number, maxLines: number): string[] {
  const lines = balanced(text, room, room * 0.6)
  if (lines.length <= maxLines) return lines
  const last = Array.from(lines[maxLines - 1] ?? '')
  while (last.length > 0 && widthOf(`${last.join('')}…`) > room) last.pop()
  return [...lines.slice(0, maxLines - 1), `${last.join('').trimEnd()}…`]
}

export const lineHeight = 1.06

type Fit = { width: number; height: number; largest: number; smallest: number }

/** The largest size at which the words fit the box, in lines of about the same length. */
export function fitText(text: string, { width, height, largest, smallest }: Fit) {
  // Beyond nine ems a word is cut rather than allowed to shrink all others.
  const longestWord = Math.max(...text.split(' ').map((word) => Math.min(widthOf(word), 9)))
  for (let size = largest; size > smallest; size *= 0.95) {
    const lines = balanced(text, width / size, longestWord)
    if (longestWord <= width / size && lines.length * lineHeight * size <= height)
      return { size, lines }
  }
  const maxLines = Math.max(1, Math.floor(height / (lineHeight * smallest)))
  return { size: smallest, lines: setLines(text, width / smallest, maxLines) }
}
