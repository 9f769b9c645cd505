import { mix } from '../color.ts'
import { depthColor } from '../palette.ts'
import { ridge } from '../ridge.ts'
import { type Canvas, drift, type Layer, overscan, sway, twinkle } from '../scene.ts'
import { sky } from '../sky.ts'
import { line, lineThrough, num, rect, shape, vertical } from '../svg.ts'

/** Open water to the horizon, waves in front, light on them. */
export function sea(canvas: Canvas): Layer[] {
  const { width, height, unit, random, subject } = canvas
  const { palette } = subject
  const horizon = height * 0.52
  const sun = {
    x: width * random.between(0.3, 0.7),
    y: horizon - height * random.between(0.1, 0.22),
  }
  const coast = ridge(random, {
    from: -overscan,
    to: width + 20,
    base: horizon + 6 * unit,
    height: 13 * unit,
    span: 42 * unit,
    isSharp: false,
  })
  const islands = shape(
    `${lineThrough(coast)}V${num(horizon + 9 * unit)}H${-overscan}z`,
    mix(palette.far, palette.sky[2], 0.25),
  )
  const water =
    vertical(
      'water',
      [0, mix(palette.far, palette.sky[2], 0.45)],
      [0.25, palette.far],
      [1, mix(palette.far, palette.near, 0.8)],
    ) + rect({ x: 0, y: horizon }, { width, height: height - horizon }, 'url(#water)')
  return [
    ...sky(canvas, horizon, sun),
    drift(islands, unit * 0.3),
    water,
    glitter(canvas, horizon, sun.x),
    ...[0.2, 0.4, 0.6, 0.8, 1].map((depth) => wave(canvas, horizon, depth)),
  ]
}

/** The path of light below sun or moon: short strokes, wider and sparser towards the viewer. */
function glitter({ height, unit, random, subject }: Canvas, horizon: number, x: number): Layer {
  const strokes = Array.from({ length: 70 }, () => {
    const depth = random.next() ** 1.3
    const wide = unit * (2 + depth * 12) * random.between(0.4, 1)
    const left = x + (random.next() + random.next() - 1) * unit * (5 + depth * 16) - wide / 2
    const y = horizon + unit + depth * (height - horizon) * 0.6
    return line(
      `M${num(left)} ${num(y)}h${num(wide)}`,
      subject.palette.light,
      unit * (0.25 + depth * 0.45),
      `stroke-opacity="${num(0.9 - depth * 0.6)}"`,
    )
  })
  return twinkle(strokes.join(''), { depth: 0.45, period: 1.7 })
}

function wave(
  { width, height, unit, random, subject }: Canvas,
  horizon: number,
  depth: number,
): Layer {
  const { palette } = subject
  const y = horizon + (height - horizon) * (0.22 + 0.62 * depth ** 1.4)
  const long = unit * (13 + depth * 26)
  const tall = unit * (0.7 + depth * 2.6)
  const start = -overscan - long * random.next()
  let crest = `M${num(start)} ${num(y)}`
  for (let x = start; x < width + 40; x += long) {
    crest += `c${num(long * 0.34)} ${num(-tall)} ${num(long * 0.6)} ${num(-tall)} ${num(long * 0.72)} ${num(-tall * 0.25)}s${num(long * 0.2)} ${num(tall * 0.25)} ${num(long * 0.28)} ${num(tall * 0.25)}`
  }
  const color = mix(depthColor(palette, 0.25 + depth * 0.65), palette.sky[1], 0.12)
  const svg =
    shape(`${crest}V${num(height + 60)}H${num(start)}z`, color, 'fill-opacity="0.88"') +
    line(crest, palette.light, unit * 0.3, 'stroke-opacity="0.35"')
  const heave = { x: 0, y: unit * (0.3 + depth * 0.6), period: 2.8, phase: depth }
  return sway(drift(svg, unit * (1 + depth * 2.4)), heave)
}
