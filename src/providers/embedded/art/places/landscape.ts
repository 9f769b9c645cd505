import { mix } from '../color.ts'
import { depthColor } from '../palette.ts'
import type { Random } from '../random.ts'
import { heightAt, ridge } from '../ridge.ts'
import { type Canvas, drift, type Layer, overscan, twinkle } from '../scene.ts'
import { sky } from '../sky.ts'
import { lineThrough, num, type Point, rect, shape, vertical } from '../svg.ts'

/** Ranges of hills, peaks or dunes that fade into mist; a lake or woods where they are named. */
export function landscape(canvas: Canvas): Layer[] {
  const { width, height, random, subject } = canvas
  const horizon = height * (subject.hasLake ? 0.5 : random.between(0.52, 0.58))
  const sun = {
    x: width * random.between(0.25, 0.75),
    y: horizon - height * random.between(0.16, 0.3),
  }
  const air = sky(canvas, horizon, sun)
  if (!subject.hasLake)
    return [...air, ...[0, 0.25, 0.5, 0.75, 1].map((depth) => range(canvas, horizon, depth))]
  const far = [0, 0.15, 0.3].map((depth) => range(canvas, horizon, depth))
  return [...air, ...far, ...lake(canvas, horizon + height * 0.1, sun.x), range(canvas, horizon, 1)]
}

function range(canvas: Canvas, horizon: number, depth: number): Layer {
  const { width, height, unit, random, subject } = canvas
  const { relief, palette, hasTrees, weather } = subject
  const tall = relief === 'peaks' ? 36 - depth * 26 : relief === 'dunes' ? 11 : 20 - depth * 8
  const outline = ridge(random, {
    from: -overscan,
    to: width + 20,
    base: horizon + (height * 0.97 - horizon) * depth ** 1.15 + 4 * unit,
    height: unit * tall,
    span: unit * (34 + depth * 30),
    isSharp: relief === 'peaks' ? depth < 0.7 : relief === 'hills' && depth < 0.4,
  })
  const color = depthColor(palette, depth)
  const id = `range${num(depth * 100)}`
  const isCapped = relief === 'peaks' && (weather === 'snow' || palette.light === '#ffffff')
  const crest = isCapped ? mix(color, '#ffffff', 0.85 * (1 - depth)) : color
  const fill = vertical(
    id,
    [0, crest],
    [0.4, color],
    [1, mix(color, palette.sky[2], 0.42 * (1 - depth))],
  )
  const ground = `${lineThrough(outline)}V${num(height + 5)}H${-overscan}z`
  const treeSize = hasTrees ? 0.4 + depth : depth > 0.6 && relief !== 'dunes' ? depth * 0.28 : 0
  const svg = fill + shape(ground, `url(#${id})`) + shape(trees(canvas, outline, treeSize), color)
  return drift(svg, unit * (0.3 + depth * 3.6))
}

function trees({ width, unit, random }: Canvas, outline: readonly Point[], size: number): string {
  if (size === 0) return ''
  let d = ''
  for (let x = -overscan; x < width + 20; x += random.between(1.4, 7) * unit * (0.4 + size)) {
    const tall = unit * random.between(9, 17) * size
    d += conifer(random, { x, y: heightAt(outline, x) + tall * 0.1 }, tall)
  }
  return d
}

/** Boughs that widen downwards, each tier a little ragged. */
function conifer(random: Random, { x, y }: Point, tall: number): string {
  const wide = tall * random.between(0.15, 0.2)
  const side = [1, 2, 3, 4, 5].flatMap((tier) => {
    const out = wide * (tier / 5) ** 0.85
    const down = y - tall + tall * 0.19 * tier
    return [
      { x: out, y: down + tall * 0.02 },
      { x: out * 0.45, y: down - tall * 0.015 },
    ]
  })
  const right = side.map((point) => ({ x: x + point.x, y: point.y }))
  const left = side.toReversed().map((point) => ({ x: x - point.x, y: point.y }))
  return `${lineThrough([{ x, y: y - tall }, ...right, { x: x + wide * 0.1, y }, { x: x - wide * 0.1, y }, ...left])}z`
}

/** Still water with the light of the sky on it. */
function lake({ width, height, unit, random, subject }: Canvas, shore: number, x: number): Layer[] {
  const { sky, far, light, near } = subject.palette
  const fill = vertical(
    'lake',
    [0, mix(sky[2], far, 0.35)],
    [0.4, mix(sky[1], far, 0.4)],
    [1, mix(far, near, 0.55)],
  )
  const strokes = Array.from({ length: 46 }, (_, i) => {
    const depth = i / 46
    const at = x + (random.next() + random.next() - 1) * width * 0.3
    const wide = unit * (3 + depth * 10) * random.between(0.5, 1)
    const y = shore + unit + depth * (height - shore) * 0.6
    return `M${num(at - wide)} ${num(y)}h${num(wide * 2)}`
  })
  const shine = `<path d="${strokes.join('')}" stroke="${light}" stroke-opacity="0.42" stroke-width="${num(unit * 0.32)}" stroke-linecap="round"/>`
  return [
    fill + rect({ x: 0, y: shore }, { width, height: height - shore }, 'url(#lake)'),
    twinkle(shine, { depth: 0.5, period: 3 }),
  ]
}
