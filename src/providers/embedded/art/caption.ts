import { mix } from './palette.ts'
import type { Canvas } from './scene.ts'
import { circle, num, rect, type Size, vertical } from './svg.ts'
import { setText } from './type.ts'

/** Type follows the area, so that it is as easy to read in a tall picture as in a wide one. */
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
  return (
    vertical('shade', [0, ink, 0], [0.35, ink, 0.5], [1, ink, 0.85]) +
    rect(shade, 'url(#shade)') +
    rect(bar, subject.palette.accent) +
    svg
  )
}

/** A small sign, so that nobody takes the picture for a model's work. */
export function mark(canvas: Canvas): string {
  const size = 1.9 * typeUnit(canvas)
  const [x, y] = [canvas.width - 13.2 * size, 1.3 * size]
  const plate = { x, y, width: 11.6 * size, height: 1.9 * size }
  const text = `font-size="${num(size)}" letter-spacing="${num(size * 0.12)}"`
  return (
    rect(plate, '#000', `rx="${num(size * 0.95)}" fill-opacity="0.32"`) +
    circle({ x: x + size * 1.05, y: y + size * 0.95 }, size * 0.3, '#fff') +
    `<text x="${num(x + size * 1.8)}" y="${num(y + size * 1.3)}" ${text} fill="#fff">ATELIER DEMO</text>`
  )
}
