import { mix } from './color.ts'
import type { Canvas } from './scene.ts'
import { circle, escapeXml, num, rect, vertical } from './svg.ts'
import { setLines } from './type.ts'

/** Type follows the area, so that it is as easy to read in a tall picture as in a wide one. */
export const typeUnit = ({ width, height }: { width: number; height: number }): number =>
  Math.sqrt(width * height) * 0.0082

/** The words at the lower edge, on a shade that keeps them readable. */
export function caption(canvas: Canvas, text: string): string {
  if (text === '') return ''
  const { width, height, subject } = canvas
  const unit = typeUnit(canvas)
  const ink = mix(subject.palette.near, '#000000', 0.45)
  const margin = 6 * unit
  const size = (text.length <= 28 ? 5.4 : 4.1) * unit
  const lines = setLines(text, (width - 2 * margin) / (size * 0.94), 3)
  const first = height - margin - (lines.length - 1) * size * 1.28
  const top = first - size * 3.6
  const rows = lines.map(
    (words, i) =>
      `<text x="${num(margin)}" y="${num(first + i * size * 1.28)}">${escapeXml(words)}</text>`,
  )
  return (
    vertical('shade', [0, ink, 0], [0.35, ink, 0.5], [1, ink, 0.85]) +
    rect({ x: 0, y: top }, { width, height: height - top }, 'url(#shade)') +
    rect(
      { x: margin, y: first - size * 1.55 },
      { width: 7 * unit, height: 0.7 * unit },
      subject.palette.accent,
    ) +
    `<g font-family="Inter" font-size="${num(size)}" font-weight="600" fill="#fff">${rows.join('')}</g>`
  )
}

/** A small sign, so that nobody takes the picture for a model's work. */
export function mark(canvas: Canvas): string {
  const unit = typeUnit(canvas)
  const size = 1.9 * unit
  const [right, y, wide] = [canvas.width - 3 * unit, 5 * unit, size * 9.4]
  const plate = { width: wide + 4.2 * unit, height: size * 1.9 }
  const left = right - plate.width
  const text = `font-family="Inter" font-weight="600" font-size="${num(size)}" letter-spacing="${num(size * 0.12)}"`
  return (
    rect(
      { x: left, y: y - size * 1.3 },
      plate,
      '#000',
      `rx="${num(size * 0.95)}" fill-opacity="0.32"`,
    ) +
    circle({ x: left + size * 1.05, y: y - size * 0.35 }, size * 0.3, '#fff') +
    `<text x="${num(right - wide - 0.4 * unit)}" y="${num(y)}" ${text} fill="#fff" fill-opacity="0.92">ATELIER DEMO</text>`
  )
}
