import type { Canvas, Layer } from './scene.ts'
import { circle, num } from './svg.ts'

/** Rain or snow before everything else. Drawn twice, a frame apart, so that it can wrap. */
export function weather({ width, height, unit, random, subject }: Canvas): Layer[] {
  if (subject.weather === 'clear') return []
  const draw = subject.weather === 'snow' ? flake : drop
  const speed = subject.weather === 'snow' ? 9 : 90
  return [1, 0.6].map((near) => {
    const marks = Array.from({ length: 90 }, () => {
      const x = random.between(-5 * unit, width + 5 * unit)
      const y = random.between(0, height)
      const size = random.between(0.5, 1) * near
      return draw(x, y, size * unit) + draw(x, y - height, size * unit)
    })
    return {
      svg: `<g fill="#fff" stroke="#fff" stroke-linecap="round" opacity="${num(near * 0.7)}">${marks.join('')}</g>`,
      motion: { drift: { x: 0, y: speed * near * unit }, wraps: true },
    }
  })
}

const flake = (x: number, y: number, size: number) =>
  circle({ x, y }, size * 0.55, 'stroke="none" fill-opacity="0.9"')

const drop = (x: number, y: number, size: number) =>
  `<path d="M${num(x)} ${num(y)}l${num(-size * 0.5)} ${num(size * 4)}" stroke-width="${num(size * 0.18)}" stroke-opacity="0.55"/>`
