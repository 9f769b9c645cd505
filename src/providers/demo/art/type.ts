// Sets text in lines: keeps what the font can draw and breaks it to fit. The font comes from a
// package, because system fonts would make pictures differ between machines.
import { fileURLToPath } from 'node:url'
import { type Box, type Canvas, circle, num, rect, type Size, vertical } from './canvas.ts'
import { mix } from './palette.ts'

export const fontPath = fileURLToPath(
  import.meta.resolve('@expo-google-fonts/inter/700Bold/Inter_700Bold.ttf'),
)

/** The characters that the font has: Latin, Greek, Cyrillic and punctuation. */
const drawable =
  /[\u0021-\u024f\u1e00-\u1eff\p{Script=Greek}\u0400-\u04ff\u2010-\u2027\u2030-\u203a\u20ac\u2122\u2190-\u2193\u2212]/u

/** The printable part of a prompt, on one line; the rest would come out as boxes. */
export function printable(prompt: string): string {
  const kept = Array.from(prompt.slice(0, 2000).normalize('NFC'), (char) =>
    drawable.test(char) && !/\p{C}/u.test(char) ? char : ' ',
  )
  const text = kept.join('').replace(/ +/g, ' ').trim()
  if (/[\p{L}\p{N}]/u.test(text) || text === prompt.trim()) return text
  return 'The demo font cannot print the words of this prompt.'
}

/** In ems, slightly too large, so that a line may end early but never overflows. */
function widthOf(text: string): number {
  const widths = Array.from(text, (char) => {
    if (/[iljI.,:;'’|!()[\] ]/.test(char)) return 0.32
    if (/[mwMW@%—…&]/.test(char)) return 0.98
    return /[\p{Lu}Ж-ЩЫЮжшщыю]/u.test(char) ? 0.74 : 0.62
  })
  return widths.reduce((sum, width) => sum + width, 0)
}

/** Lines of at most `room` ems; a longer word is split. */
function wrap(text: string, room: number): string[] {
  const piece = new RegExp(`.{1,${Math.max(1, Math.floor(room))}}`, 'gu')
  const cut = (word: string) => (widthOf(word) <= room ? [word] : (word.match(piece) ?? []))
  const [first = '', ...rest] = text.split(' ').flatMap(cut)
  const lines = [first]
  for (const word of rest) {
    const longer = `${lines.at(-1)} ${word}`
    if (widthOf(longer) <= room) lines.splice(-1, 1, longer)
    else lines.push(word)
  }
  return lines
}

const escapeXml = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

type Setting = Box & { largest: number; smallest: number; lineHeight: number }

/** Text at the bottom of a box, as large as it fits; `top` is where it begins. */
export function setText(text: string, setting: Setting, ink: string): { svg: string; top: number } {
  const { x, y, height, lineHeight } = setting
  const { size, lines } = fitText(text, setting)
  const top = y + height - lines.length * lineHeight * size
  const rows = lines.map(
    (words, i) =>
      `<text x="${num(x)}" y="${num(top + (i * lineHeight + 0.84) * size)}">${escapeXml(words)}</text>`,
  )
  const style = `font-size="${num(size)}" letter-spacing="${num(-size * 0.015)}"`
  return { svg: `<g ${style} fill="${ink}">${rows.join('')}</g>`, top }
}

/** The largest size at which all words fit; at the smallest, "…" replaces what does not. */
function fitText(text: string, { width, height, largest, smallest, lineHeight }: Setting) {
  // A word of more than nine ems is split rather than allowed to shrink all others.
  const longestWord = Math.max(...text.split(' ').map((word) => Math.min(widthOf(word), 9)))
  for (let size = largest; size > smallest; size *= 0.95) {
    const lines = wrap(text, width / size)
    if (longestWord * size > width || lines.length * lineHeight * size > height) continue
    // Lines of about the same length, so that no last word stands alone.
    const even = wrap(text, Math.max(longestWord, (widthOf(text) / lines.length) * 1.12))
    return { size, lines: even.length > lines.length ? lines : even }
  }
  const [room, maxLines] = [width / smallest, Math.floor(height / (lineHeight * smallest))]
  const lines = wrap(text, room)
  if (lines.length > maxLines) {
    let last = lines[maxLines - 1] ?? ''
    while (widthOf(`${last}…`) > room) last = Array.from(last).slice(0, -1).join('')
    lines.splice(maxLines - 1, lines.length, `${last.trimEnd()}…`)
  }
  return { size: smallest, lines }
}

/** Type size follows the area, so that tall and wide pictures are equally easy to read. */
export const typeUnit = ({ width, height }: Size): number => Math.sqrt(width * height) * 0.0082

/** The words at the lower edge, on a shade that keeps them readable. */
export function caption(canvas: Canvas, words: string): string {
  if (words === '') return ''
  const { width, height, subject } = canvas
  const unit = typeUnit(canvas)
  const x = 6 * unit
  const sizes = { largest: 5.4 * unit, smallest: 4.1 * unit, lineHeight: 1.28 }
  // Room for three lines of the smallest size.
  const tall = 3.01 * sizes.lineHeight * sizes.smallest
  const box = { x, y: height - 5 * unit - tall, width: width - 2 * x, height: tall }
  const { svg, top } = setText(words, { ...box, ...sizes }, '#fff')
  const ink = mix(subject.palette.near, '#000000', 0.45)
  const shade = { x: 0, y: top - 14 * unit, width, height: height - top + 14 * unit }
  const bar = { x, y: top - 2.6 * unit, width: 7 * unit, height: 0.7 * unit }
  const fade = vertical('shade', [0, ink, 0], [0.35, ink, 0.5], [1, ink, 0.85])
  return fade + rect(shade, 'url(#shade)') + rect(bar, subject.palette.accent) + svg
}

/** A small label, so that nobody takes the picture for a model's work. */
export function mark(canvas: Canvas): string {
  const size = 1.9 * typeUnit(canvas)
  const [x, y] = [canvas.width - 13.2 * size, 1.3 * size]
  const plate = { x, y, width: 11.6 * size, height: 1.9 * size }
  const text = `font-size="${num(size)}" letter-spacing="${num(size * 0.12)}"`
  const pill = rect(plate, '#000', `rx="${num(size * 0.95)}" fill-opacity="0.32"`)
  const dot = circle({ x: x + size * 1.05, y: y + size * 0.95 }, size * 0.3, '#fff')
  return `${pill}${dot}<text x="${num(x + size * 1.8)}" y="${num(y + size * 1.3)}" ${text} fill="#fff">ATELIER DEMO</text>`
}
