import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Font, readFont } from './font.ts'
import type { Canvas, Layer } from './scene.ts'
import { circle, escapeXml, num, rect, vertical } from './svg.ts'

/** One font from one package: system fonts would make the picture differ between machines. */
export const fontPath = fileURLToPath(
  import.meta.resolve('@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf'),
)

let loaded: Font | undefined
function font(): Font {
  loaded ??= readFont(readFileSync(fontPath))
  return loaded
}

const maxLines = 3

/** Text follows the area, so that it is as easy to read in a tall picture as in a wide one. */
const textUnit = (width: number, height: number) => Math.sqrt(width * height) * 0.0082

/** The prompt at the lower edge, on a shade that keeps it readable. */
export function caption({ width, height }: Canvas, prompt: string, accent: string): Layer[] {
  const text = drawable(prompt, font())
  if (text === '') return []
  const unit = textUnit(width, height)
  const margin = 6 * unit
  const size = text.length <= 28 ? 5.4 * unit : 4.1 * unit
  const lines = wrap(text, (width - 2 * margin) / size, font())
  const lead = size * 1.28
  const first = height - margin - (lines.length - 1) * lead
  const top = first - size * 3.6
  const shade = vertical('shade', [
    { at: 0, color: '#000', opacity: 0 },
    { at: 0.35, color: '#000', opacity: 0.45 },
    { at: 1, color: '#000', opacity: 0.78 },
  ])
  const bar = { width: 7 * unit, height: 0.7 * unit }
  const rows = lines.map(
    (line, i) => `<text x="${num(margin)}" y="${num(first + i * lead)}">${escapeXml(line)}</text>`,
  )
  return [
    {
      svg:
        `<defs>${shade}</defs>` +
        rect({ x: 0, y: top }, { width, height: height - top }, 'fill="url(#shade)"') +
        rect({ x: margin, y: first - size * 1.55 }, bar, `fill="${accent}"`) +
        `<g font-family="Inter" font-size="${num(size)}" font-weight="600" fill="#fff">${rows.join('')}</g>`,
    },
  ]
}

/** A small sign that nobody takes the picture for a model's work. */
export function mark({ width, height }: Canvas): Layer {
  const unit = textUnit(width, height)
  const size = 1.9 * unit
  const right = width - 3 * unit
  const y = 5 * unit
  const wide = size * 9.4
  const plate = { width: wide + 4.2 * unit, height: size * 1.9 }
  return {
    svg:
      rect(
        { x: right - plate.width, y: y - size * 1.3 },
        plate,
        `rx="${num(size * 0.95)}" fill="#000" fill-opacity="0.32"`,
      ) +
      circle(
        { x: right - plate.width + size * 1.05, y: y - size * 0.35 },
        size * 0.3,
        'fill="#fff"',
      ) +
      `<text x="${num(right - wide - 0.4 * unit)}" y="${num(y)}" font-family="Inter" font-weight="600" font-size="${num(size)}" letter-spacing="${num(size * 0.12)}" fill="#fff" fill-opacity="0.92">ATELIER DEMO</text>`,
  }
}

/** What the font can show, on one line; the rest would come out as boxes. */
function drawable(prompt: string, { covers }: Font): string {
  const kept = Array.from(prompt.slice(0, 2000).normalize('NFC'), (char) => {
    const code = char.codePointAt(0) ?? 0
    return code > 0x20 && covers(code) && !/\p{C}/u.test(char) ? char : ' '
  })
  const text = kept.join('').replace(/ +/g, ' ').trim()
  return /[\p{L}\p{N}]/u.test(text) ? text : ''
}

const lengthOf = (text: string, { advance }: Font) =>
  Array.from(text).reduce((sum, char) => sum + advance(char.codePointAt(0) ?? 0), 0)

/** Greedy lines of at most `room` ems; words that are too long are cut, text that is, ends in "…". */
function wrap(text: string, room: number, face: Font): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap((word) => cut(word, room, face))) {
    const longer = line === '' ? word : `${line} ${word}`
    if (lengthOf(longer, face) <= room) {
      line = longer
      continue
    }
    lines.push(line)
    line = word
    if (lines.length === maxLines) break
  }
  if (lines.length < maxLines) return [...lines, line]
  const last = Array.from(lines[maxLines - 1] ?? '')
  while (lengthOf(`${last.join('')}…`, face) > room) last.pop()
  return [...lines.slice(0, maxLines - 1), `${last.join('').trimEnd()}…`]
}

function cut(word: string, room: number, face: Font): string[] {
  const pieces: string[] = []
  let piece = ''
  for (const char of word) {
    if (piece !== '' && lengthOf(piece + char, face) > room) {
      pieces.push(piece)
      piece = ''
    }
    piece += char
  }
  return [...pieces, piece]
}
