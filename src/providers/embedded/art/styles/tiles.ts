import type { Canvas, Layer, Style } from '../scene.ts'
import { num, rect } from '../svg.ts'

/** Quarter circles, half circles, leaves and dots on a grid; rows slide against each other. */
export const tiles: Style = (canvas) => {
  const { width, height, random, subject } = canvas
  const size = Math.min(width, height) / random.whole(4, 6)
  const rows = Math.ceil(height / size)
  const { sky, accent, second, near, light } = subject.palette
  const inks = [accent, second, near, sky[0], light, sky[1]] as const
  return [
    { svg: rect({ x: 0, y: 0 }, { width, height }, `fill="${sky[2]}"`) },
    ...[0, 1].map((parity) => bands(canvas, { size, rows, parity, inks })),
  ]
}

type Band = {
  size: number
  rows: number
  parity: number
  inks: readonly [string, ...string[]]
}

function bands({ width, random }: Canvas, { size, rows, parity, inks }: Band): Layer {
  const marks: string[] = []
  for (let row = parity; row < rows; row += 2) {
    for (let x = -2 * size; x < width + 2 * size; x += size) {
      marks.push(
        tile(
          random.whole(0, 6),
          x,
          row * size,
          size,
          [random.pick(inks), random.pick(inks)],
          random.whole(0, 3),
        ),
      )
    }
  }
  const way = parity === 0 ? 1 : -1
  return {
    svg: marks.join(''),
    motion: { orbit: { rx: way * size * 0.9, ry: 0, turnsPerSecond: 0.1, phase: 0.25 } },
  }
}

function tile(
  kind: number,
  x: number,
  y: number,
  size: number,
  [ink, ground]: [string, string],
  turn: number,
): string {
  const s = num(size)
  const h = num(size / 2)
  // Half a unit over the edge: neighbours of one colour must not show a seam.
  const back = `<path d="M-.3 -.3h${num(size + 0.6)}v${num(size + 0.6)}h${num(-size - 0.6)}z" fill="${ground}"/>`
  const shapes = [
    `<path d="M0 0h${s}A${s} ${s} 0 0 1 0 ${s}z" fill="${ink}"/>`,
    `<path d="M0 0h${s}A${h} ${h} 0 0 1 0 0z" fill="${ink}"/>`,
    `<circle cx="${h}" cy="${h}" r="${num(size * 0.32)}" fill="${ink}"/>`,
    `<path d="M0 0A${s} ${s} 0 0 1 ${s} ${s}A${s} ${s} 0 0 1 0 0z" fill="${ink}"/>`,
    `<path d="M0 0L${s} ${s}H0z" fill="${ink}"/>`,
    `<circle cx="${h}" cy="${h}" r="${num(size * 0.36)}" fill="none" stroke="${ink}" stroke-width="${num(size * 0.14)}"/>`,
    `<path d="M0 0A${h} ${h} 0 0 0 ${s} 0zM0 ${h}A${h} ${h} 0 0 0 ${s} ${h}z" fill="${ink}"/>`,
  ]
  return `<g transform="translate(${num(x)} ${num(y)})">${back}<g transform="rotate(${turn * 90} ${h} ${h})">${shapes[kind] ?? ''}</g></g>`
}
