import type { Random } from './random.ts'
import type { Point } from './svg.ts'

type Ridge = {
  from: number
  to: number
  base: number
  height: number
  /** Width of the largest features. */
  span: number
  /** Straight slopes instead of round ones. */
  isSharp: boolean
}

/** An outline of hills or peaks from left to right: a few octaves of noise. */
export function ridge(random: Random, { from, to, base, height, span, isSharp }: Ridge): Point[] {
  const weights = isSharp ? [1, 0.5, 0.25, 0.13, 0.06] : [1, 0.3, 0.07]
  const octaves = weights.map((weight, i) => {
    const cell = span / 2 ** i
    // Summits and saddles in turn: left to chance alone, peaks average out to a plain.
    const knots = Array.from({ length: Math.ceil((to - from) / cell) + 3 }, (_, knot) =>
      isSharp && i === 0 ? (knot % 2) * 0.6 + random.next() * 0.4 : random.next(),
    )
    return { weight, cell, knots, shift: random.next() }
  })
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const points: Point[] = []
  for (let x = from; x <= to; x += 5) {
    let value = 0
    for (const { weight, cell, knots, shift } of octaves) {
      const at = (x - from) / cell + shift
      const index = Math.floor(at)
      const share = at - index
      const [a, b] = [knots[index] ?? 0, knots[index + 1] ?? 0]
      value += weight * (a + (b - a) * (isSharp ? share : share * share * (3 - 2 * share)))
    }
    points.push({ x, y: base - (height * value) / total })
  }
  return points
}

export const heightAt = (points: readonly Point[], x: number): number =>
  (points.find((point) => point.x >= x) ?? points.at(-1))?.y ?? 0
