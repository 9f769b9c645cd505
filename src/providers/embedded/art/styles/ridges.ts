import { mix } from '../color.ts'
import type { Canvas, Layer, Style } from '../scene.ts'
import { circle, glow, horizontal, num, type Point, pathOf, rect } from '../svg.ts'

/** Traces of a signal, one behind the other, loud in the middle. */
export const ridges: Style = (canvas) => {
  const { width, height, subject } = canvas
  const ground = mix(subject.palette.sky[0], '#000000', 0.35)
  const middle = { x: width / 2, y: height * 0.22 }
  const groups = 7
  return [
    { svg: rect({ x: 0, y: 0 }, { width, height }, `fill="${ground}"`) },
    {
      svg: `<defs>${glow('haze', subject.palette.accent, 0.4)}</defs>${circle(middle, height * 0.6, 'fill="url(#haze)"')}`,
      motion: { pulse: { depth: 0.5, turnsPerSecond: 0.25, phase: 0 } },
    },
    ...Array.from({ length: groups }, (_, i) => traces(canvas, ground, i, groups)),
  ]
}

function traces(canvas: Canvas, ground: string, group: number, groups: number): Layer {
  const { width, height, unit, random, subject } = canvas
  const { accent, second, light } = subject.palette
  const perGroup = 5
  const lines: string[] = []
  for (let i = 0; i < perGroup; i++) {
    const depth = (group * perGroup + i) / (groups * perGroup - 1)
    const base = height * (0.2 + depth * 0.6)
    const points = trace(canvas, base, depth)
    const color = mix(accent, second, depth)
    const id = `trace${group}-${i}`
    const ink = horizontal(id, [
      { at: 0, color, opacity: 0.25 },
      { at: 0.5, color: mix(color, light, 0.65) },
      { at: 1, color, opacity: 0.25 },
    ])
    const line = pathOf(points)
    lines.push(
      `<defs>${ink}</defs><path d="${line}V${num(base + unit)}H${num(-width * 0.1)}z" fill="${ground}"/><path d="${line}" fill="none" stroke="url(#${id})" stroke-width="${num(unit * 0.42)}" stroke-linejoin="round"/>`,
    )
  }
  return {
    svg: lines.join(''),
    motion: {
      orbit: {
        rx: unit * 2.2,
        ry: unit * 0.9,
        turnsPerSecond: 0.22,
        phase: group / groups + random.between(0, 0.08),
      },
    },
  }
}

function trace({ width, height, unit, random }: Canvas, base: number, depth: number): Point[] {
  const loud = Math.min(height * 0.17, unit * 22) * (0.6 + 0.4 * Math.sin(depth * Math.PI))
  const bumps = Array.from({ length: 9 }, () => ({
    at: 0.5 + (random.next() + random.next() - 1) * 0.34,
    tall: random.between(0.15, 1),
    wide: random.between(0.02, 0.06),
  }))
  return Array.from({ length: 121 }, (_, i) => {
    const share = i / 120
    const rise = bumps.reduce(
      (sum, { at, tall, wide }) => sum + tall * Math.exp(-(((share - at) / wide) ** 2) / 2),
      0,
    )
    const hush = Math.exp(-(((share - 0.5) / 0.2) ** 2) / 2)
    const y = base - loud * 0.5 * rise * hush - random.between(-0.2, 0.2) * unit
    return { x: width * (share * 1.2 - 0.1), y }
  })
}
