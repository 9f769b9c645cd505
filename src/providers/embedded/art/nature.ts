import { mix } from './palette.ts'
import type { Random } from './random.ts'
import { type Canvas, drift, type Layer, overscan, repeat, sway } from './scene.ts'
import { sky } from './sky.ts'
import { line, lineThrough, num, type Point, rect, shape, vertical } from './svg.ts'

/** Ranges of hills, peaks or dunes that fade into mist; a lake or woods where they are named. */
export function landscape(canvas: Canvas): Layer[] {
  const { height, subject } = canvas
  const horizon = height * (subject.hasLake ? 0.5 : 0.55)
  const ranges = (...depths: number[]) => depths.map((depth) => range(canvas, horizon, depth))
  if (!subject.hasLake) return [...sky(canvas, horizon), ...ranges(0, 0.25, 0.5, 0.75, 1)]
  const lake = water(canvas, horizon + height * 0.1)
  return [...sky(canvas, horizon), ...ranges(0, 0.15, 0.3), ...lake, ...ranges(1)]
}

/** Open water to the horizon, waves in front. */
export function sea(canvas: Canvas): Layer[] {
  const horizon = canvas.height * 0.52
  const waves = [0.2, 0.4, 0.6, 0.8, 1].map((depth) => wave(canvas, horizon, depth))
  return [...sky(canvas, horizon), ...water(canvas, horizon), ...waves]
}

/** The height of the ground, or of the water, at each x. */
type Line = (x: number) => number

/** From 0 to 1: ever shorter and lower waves on top of each other, round or with straight slopes. */
function ridge(random: Random, span: number, form: 'round' | 'sharp'): Line {
  const share = form === 'round' ? 0.3 : 0.5
  const lengths = [2, 0.9, 0.4, 0.18, 0.08].map(
    (length) => length * span * random.between(0.8, 1.2),
  )
  const start = random.next() * 100
  const slope = (turn: number) =>
    form === 'round' ? (1 + Math.cos(2 * Math.PI * turn)) / 2 : Math.abs(2 * (turn % 1) - 1)
  return (x) =>
    lengths.reduce(
      (sum, length, i) => sum + share ** i * slope(start + (x + overscan) / length),
      0,
    ) *
    (1 - share)
}

/** From beyond the left edge, where a drifting layer begins, to beyond the right one. */
function pointsOn({ width }: Canvas, y: Line): Point[] {
  const columns = Array.from({ length: width / 5 + 93 }, (_, i) => i * 5 - overscan)
  return columns.map((x) => ({ x, y: y(x) }))
}

const closedBelow = (outline: string) => `${outline}V1100H${-overscan}z`

/** `depth` 0 is the horizon, 1 right before the viewer. */
function range(canvas: Canvas, horizon: number, depth: number): Layer {
  const { height, unit, random, subject } = canvas
  const { relief, palette, hasTrees } = subject
  const isSharp = relief === 'peaks' ? depth < 0.7 : relief === 'hills' && depth < 0.4
  const tall = unit * { peaks: 42 - depth * 32, dunes: 11, hills: 20 - depth * 8 }[relief]
  const base = horizon + (height * 0.97 - horizon) * depth ** 1.15 + 4 * unit
  const rise = ridge(random, unit * (34 + depth * 30), isSharp ? 'sharp' : 'round')
  const top: Line = (x) => base - tall * rise(x)
  const color = mix(palette.far, palette.near, depth)
  const id = `range${num(depth * 100)}`
  const treeSize = hasTrees ? 0.4 + depth : depth > 0.6 && relief !== 'dunes' ? depth * 0.28 : 0
  const svg =
    vertical(id, [0.1, color], [0.5, mix(color, palette.sky[2], 0.42 * (1 - depth))]) +
    shape(closedBelow(lineThrough(pointsOn(canvas, top))), `url(#${id})`) +
    (relief === 'peaks' && depth === 0 ? snow(canvas, top, base - tall * 0.42) : '') +
    (treeSize > 0 ? shape(trees(canvas, top, treeSize), color) : '')
  return drift(svg, unit * (0.3 + depth * 3.6))
}

/** Covers what rises above a ragged line. */
function snow(canvas: Canvas, top: Line, snowLine: number): string {
  const { light, sky } = canvas.subject.palette
  const ragged = ridge(canvas.random, 7 * canvas.unit, 'sharp')
  const edge: Line = (x) => Math.max(top(x), snowLine - canvas.unit * 7 * ragged(x))
  const cap = [...pointsOn(canvas, top), ...pointsOn(canvas, edge).reverse()]
  return shape(`${lineThrough(cap)}z`, mix(light, sky[1], 0.3), 0.8)
}

/** Conifers of four tiers each, all along a ridge. */
function trees({ width, unit, random }: Canvas, ground: Line, size: number): string {
  let d = ''
  for (let x = -overscan; x < width + 20; x += random.between(1.4, 7) * unit * (0.4 + size)) {
    const tall = unit * random.between(9, 17) * size
    const wide = tall * random.between(0.15, 0.21)
    for (const tier of [0.4, 0.6, 0.8, 1]) {
      const y = ground(x) + tall * (0.9 * tier - 1.26)
      d += `M${num(x)} ${num(y)}l${num(wide * tier)} ${num(tall * 0.4)}h${num(-2 * wide * tier)}z`
    }
  }
  return d
}

/** Water with the sky in it, and below sun or moon a path of light that widens to the viewer. */
function water({ width, height, unit, random, subject, sunX }: Canvas, shore: number): Layer[] {
  const { sky, far, near, light } = subject.palette
  const box = { x: 0, y: shore, width, height: height - shore }
  const strokes = repeat(70, () => {
    const depth = random.next() ** 1.3
    const wide = unit * (2 + depth * 12) * random.between(0.4, 1)
    const left = sunX + (random.next() + random.next() - 1) * unit * (5 + depth * 18) - wide / 2
    const d = `M${num(left)} ${num(shore + unit + depth * box.height * 0.6)}h${num(wide)}`
    return line(d, light, unit * (0.25 + depth * 0.4), 0.9 - depth * 0.6)
  })
  const fill = vertical('water', [0, mix(far, sky[2], 0.5)], [0.3, far], [1, mix(far, near, 0.8)])
  return [fill + rect(box, 'url(#water)'), sway(strokes, { x: unit * 1.5, y: 0, period: 2.3 })]
}

function wave(canvas: Canvas, horizon: number, depth: number): Layer {
  const { height, unit, random, subject } = canvas
  const { far, near, sky, light } = subject.palette
  const base = horizon + (height - horizon) * (0.22 + 0.62 * depth ** 1.4)
  const swell = ridge(random, unit * (8 + depth * 14), 'round')
  const crest = lineThrough(pointsOn(canvas, (x) => base - unit * (1 + depth * 3) * swell(x)))
  const color = mix(mix(far, near, 0.25 + depth * 0.65), sky[1], 0.12)
  const svg = shape(closedBelow(crest), color, 0.88) + line(crest, light, unit * 0.3, 0.35)
  const radii = { x: unit * (2 + depth * 3), y: unit * (0.3 + depth * 0.6) }
  return sway(svg, { ...radii, period: 4.4 - depth })
}
