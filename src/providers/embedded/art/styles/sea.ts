import { mix } from '../color.ts'
import { depthColor } from '../palette.ts'
import { ridge } from '../ridge.ts'
import { type Canvas, type Layer, overscan, type Style } from '../scene.ts'
import { clouds, heavenlyBody, sky, stars } from '../sky.ts'
import { num, pathOf, rect, vertical } from '../svg.ts'

/** Open water to the horizon, waves in front, light on them. */
export const sea: Style = (canvas) => {
  const { width, height, random, subject } = canvas
  const horizon = height * 0.52
  const x = width * random.between(0.3, 0.7)
  const waves = 5
  return [
    sky(canvas, horizon / height),
    ...(subject.night ? stars(canvas, horizon) : []),
    heavenlyBody(
      canvas,
      { x, y: horizon - height * random.between(0.06, 0.2) },
      random.between(6, 9),
    ),
    ...clouds(canvas, height * 0.1, horizon * 0.75),
    islands(canvas, horizon),
    water(canvas, horizon),
    glitter(canvas, horizon, x),
    ...Array.from({ length: waves }, (_, i) => wave(canvas, horizon, (i + 1) / waves, i)),
  ]
}

function islands({ width, unit, random, subject }: Canvas, horizon: number): Layer {
  const outline = ridge(random, {
    from: -overscan,
    to: width + 20,
    step: 4,
    base: horizon + 6 * unit,
    height: (subject.peaks ? 34 : 13) * unit,
    span: 42 * unit,
    peaks: subject.peaks,
  })
  const color = mix(subject.palette.far, subject.palette.sky[2], 0.25)
  return {
    svg: `<path fill="${color}" d="${pathOf(outline)}V${num(horizon + 9 * unit)}H${-overscan}z"/>`,
    motion: { drift: { x: unit * 0.3, y: 0 } },
  }
}

function water({ width, height, subject }: Canvas, horizon: number): Layer {
  const { far, near, sky: colors } = subject.palette
  const fill = vertical('water', [
    { at: 0, color: mix(far, colors[2], 0.45) },
    { at: 0.25, color: far },
    { at: 1, color: mix(far, near, 0.8) },
  ])
  const size = { width, height: height - horizon }
  return { svg: `<defs>${fill}</defs>${rect({ x: 0, y: horizon }, size, 'fill="url(#water)"')}` }
}

/** The path of light below sun or moon: short strokes, wider and sparser towards the viewer. */
function glitter({ height, unit, random, subject }: Canvas, horizon: number, x: number): Layer {
  const strokes = Array.from({ length: 70 }, () => {
    const depth = random.next() ** 1.3
    const wide = unit * (2 + depth * 12) * random.between(0.4, 1)
    const at = x + (random.next() + random.next() - 1) * unit * (5 + depth * 16)
    const y = horizon + unit + depth * (height - horizon) * 0.6
    return `<path d="M${num(at - wide / 2)} ${num(y)}h${num(wide)}" stroke-width="${num(unit * (0.25 + depth * 0.45))}" stroke-opacity="${num(0.9 - depth * 0.6)}"/>`
  })
  return {
    svg: `<g stroke="${subject.palette.light}" stroke-linecap="round">${strokes.join('')}</g>`,
    motion: { pulse: { depth: 0.45, turnsPerSecond: 0.6, phase: 0 } },
  }
}

function wave(canvas: Canvas, horizon: number, depth: number, index: number): Layer {
  const { width, height, unit, random, subject } = canvas
  const y = horizon + (height - horizon) * (0.22 + 0.62 * depth ** 1.4)
  const length = unit * (13 + depth * 26)
  const tall = unit * (0.7 + depth * 2.6)
  const start = -overscan - length * random.next()
  let crest = `M${num(start)} ${num(y)}`
  for (let x = start; x < width + overscan; x += length) {
    crest += `c${num(length * 0.34)} ${num(-tall)} ${num(length * 0.6)} ${num(-tall)} ${num(length * 0.72)} ${num(-tall * 0.25)}s${num(length * 0.2)} ${num(tall * 0.25)} ${num(length * 0.28)} ${num(tall * 0.25)}`
  }
  const color = mix(depthColor(subject.palette, 0.25 + depth * 0.65), subject.palette.sky[1], 0.12)
  const foam = `<path d="${crest}" fill="none" stroke="${subject.palette.light}" stroke-opacity="0.35" stroke-width="${num(unit * 0.3)}"/>`
  const way = index % 2 === 0 ? 1 : -1
  return {
    svg: `<path d="${crest}V${num(height + 60)}H${num(start)}z" fill="${color}" fill-opacity="0.88"/>${foam}`,
    motion: {
      drift: { x: way * unit * (1 + depth * 2.4), y: 0 },
      orbit: { rx: 0, ry: unit * (0.3 + depth * 0.6), turnsPerSecond: 0.35, phase: index * 0.23 },
    },
  }
}
