import type { Canvas, Layer } from './canvas.ts'
import { drift, line, num, overscan, rect, repeat, shape, sway, vertical } from './canvas.ts'
import { mix } from './palette.ts'
import { sky } from './sky.ts'

/** Ranges of hills, peaks or dunes that fade into mist; a lake or woods if they are named. */
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

/** Three rows of towers with lit windows. */
export function city(canvas: Canvas): Layer[] {
  const rows = [0, 0.45, 0.95].map((depth) => towers(canvas, depth))
  return [...sky(canvas, canvas.height * 0.7), ...rows]
}

/** The height of the ground, or of the water, at each x. */
type Line = (x: number) => number

/** Heights from 0 to 1: a sum of ever shorter and lower waves, round or with straight slopes. */
function ridge({ random }: Canvas, span: number, form: 'round' | 'sharp'): Line {
  const share = form === 'round' ? 0.3 : 0.5
  const lengths = [2, 0.9, 0.4, 0.18, 0.08].map((part) => part * span * random.between(0.8, 1.2))
  const start = random.next() * 100
  const slope = (turn: number) =>
    form === 'round' ? (1 + Math.cos(2 * Math.PI * turn)) / 2 : Math.abs(2 * (turn % 1) - 1)
  return (x) => {
    const heights = lengths.map((length, i) => share ** i * slope(start + (x + overscan) / length))
    return heights.reduce((sum, height) => sum + height) * (1 - share)
  }
}

/** Points from the start of a drifting layer, left of the frame, to as far right as waves sway. */
const pointsOn = ({ width }: Canvas, y: Line): string[] =>
  Array.from({ length: (width + overscan + 60) / 5 }, (_, i) => i * 5 - overscan).map(
    (x) => `${num(x)} ${num(y(x))}`,
  )

const outlineOf = (canvas: Canvas, y: Line) => `M${pointsOn(canvas, y).join('L')}`
const closedBelow = (outline: string) => `${outline}V1100H${-overscan}z`

/** `depth` 0 is at the horizon, 1 is right in front of the viewer. */
function range(canvas: Canvas, horizon: number, depth: number): Layer {
  const { height, unit, subject } = canvas
  const { relief, palette, hasTrees } = subject
  const isSharp = relief === 'peaks' ? depth < 0.7 : relief === 'hills' && depth < 0.4
  const tall = unit * { peaks: 42 - depth * 32, dunes: 11, hills: 20 - depth * 8 }[relief]
  const base = horizon + (height * 0.97 - horizon) * depth ** 1.15 + 4 * unit
  const rise = ridge(canvas, unit * (34 + depth * 30), isSharp ? 'sharp' : 'round')
  const top: Line = (x) => base - tall * rise(x)
  const color = mix(palette.far, palette.near, depth)
  const id = `range${num(depth * 100)}`
  const treeSize = hasTrees ? 0.4 + depth : depth > 0.6 && relief !== 'dunes' ? depth * 0.28 : 0
  const svg =
    vertical(id, [0.1, color], [0.5, mix(color, palette.sky[2], 0.42 * (1 - depth))]) +
    shape(closedBelow(outlineOf(canvas, top)), `url(#${id})`) +
    (relief === 'peaks' && depth === 0 ? snow(canvas, top, base - tall * 0.42) : '') +
    (treeSize > 0 ? shape(trees(canvas, top, treeSize), color) : '')
  return drift(svg, unit * (0.3 + depth * 3.6))
}

/** Covers what rises above a ragged line. */
function snow(canvas: Canvas, top: Line, snowLine: number): string {
  const { light, sky } = canvas.subject.palette
  const ragged = ridge(canvas, 7 * canvas.unit, 'sharp')
  const edge: Line = (x) => Math.max(top(x), snowLine - canvas.unit * 7 * ragged(x))
  const cap = [...pointsOn(canvas, top), ...pointsOn(canvas, edge).reverse()]
  return shape(`M${cap.join('L')}z`, mix(light, sky[1], 0.3), 0.8)
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

/** Water that mirrors the sky, and below sun or moon a path of light that widens downwards. */
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
  const { height, unit, subject } = canvas
  const { far, near, sky, light } = subject.palette
  const base = horizon + (height - horizon) * (0.22 + 0.62 * depth ** 1.4)
  const swell = ridge(canvas, unit * (8 + depth * 14), 'round')
  const crest = outlineOf(canvas, (x) => base - unit * (1 + depth * 3) * swell(x))
  const color = mix(mix(far, near, 0.25 + depth * 0.65), sky[1], 0.12)
  const svg = shape(closedBelow(crest), color, 0.88) + line(crest, light, unit * 0.3, 0.35)
  return sway(svg, { x: unit * (2 + depth * 3), y: unit * depth, period: 4.4 - depth })
}

const block = (x: number, y: number, width: number, height: number) =>
  `M${num(x)} ${num(y)}h${num(width)}v${num(height)}h${num(-width)}z`

/** A row of towers with some of their windows lit. */
function towers({ width, height, unit, random, subject }: Canvas, depth: number): Layer {
  const { palette, isNight } = subject
  const pane = unit * (0.75 + depth * 0.45)
  const panes = { light: '', accent: '' }
  let walls = ''
  for (let x = -overscan; x < width + 20; ) {
    const wide = unit * random.between(7, 14) * (0.7 + depth * 0.6)
    const top = height * 0.93 - random.between(0.35, 1) ** 1.3 * height * (0.62 - depth * 0.28)
    // A step, a mast or nothing on the roof.
    const rise = wide * random.pick([0, 0.25, 0.6])
    const broad = wide * (rise > wide * 0.5 ? 0.04 : 0.6)
    const roof = block(x + (wide - broad) / 2, top - rise, broad, rise + 1)
    walls += block(x, top, wide, height + 10 - top) + roof
    const gap = wide / Math.max(1, Math.floor(wide / (pane * 2)))
    for (let left = x + gap / 2 - pane * 0.45; left < x + wide; left += gap) {
      for (let y = top + pane * 1.6; y < height; y += pane * 2.3) {
        if (random.next() > (isNight ? 0.42 : 0.2)) continue
        const ink = random.pick(['light', 'light', 'light', 'accent'])
        panes[ink] += block(left, y, pane * 0.9, pane * 1.2)
      }
    }
    x += wide + unit * random.pick([0.2, 0.2, 0.2, 3])
  }
  const color = mix(palette.far, palette.near, depth)
  const id = `row${num(depth * 100)}`
  const svg =
    vertical(id, [0, color], [1, mix(color, palette.sky[2], 0.5 * (1 - depth))]) +
    shape(walls, `url(#${id})`) +
    shape(panes.light, mix(palette.light, '#ffd98a', 0.4), 0.25 + depth * 0.65) +
    shape(panes.accent, palette.accent, 0.25 + depth * 0.65)
  return drift(svg, unit * (0.3 + depth * 3))
}
