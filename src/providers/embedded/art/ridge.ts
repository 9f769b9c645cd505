import type { Random } from './random.ts'
import type { Point } from './svg.ts'

type Ridge = {
  from: number
  to: number
  step: number
  base: number
  height: number
  /** Width of the largest features. */
  span: number
  /** Sharp peaks instead of round hills. */
  peaks?: boolean
}

/** An outline of hills or peaks, from left to right: a few octaves of smoothed noise. */
export function ridge(
  random: Random,
  { from, to, step, base, height, span, peaks }: Ridge,
): Point[] {
  const octaves = (peaks ? [1, 0.5, 0.25, 0.13, 0.06] : [1, 0.32, 0.08]).map((weight, i) => {
    const cell = span / 2 ** i
    // Summits and saddles in turn: left to chance alone, peaks average out to a plain.
    const turns = peaks && i === 0
    const knots = Array.from({ length: Math.ceil((to - from) / cell) + 3 }, (_, k) =>
      turns ? (k % 2) * 0.6 + random.next() * 0.4 : random.next(),
    )
    return { weight, cell, knots, shift: random.next() }
  })
  const total = octaves.reduce((sum, { weight }) => sum + weight, 0)
  const points: Point[] = []
  for (let x = from; x <= to; x += step) {
    let value = 0
    for (const { weight, cell, knots, shift } of octaves) {
      const place = (x - from) / cell + shift
      const index = Math.floor(place)
      const share = peaks ? place - index : smooth(place - index)
      const a = knots[index] ?? 0
      const b = knots[index + 1] ?? 0
      value += weight * (a + (b - a) * share)
    }
    points.push({ x, y: base - height * (value / total) })
  }
  return points
}

const smooth = (share: number) => share * share * (3 - 2 * share)

/** Where the outline is at `x`. */
export function heightAt(points: readonly Point[], x: number): number {
  const next = points.findIndex((point) => point.x >= x)
  return points[next]?.y ?? points.at(-1)?.y ?? 0
}
