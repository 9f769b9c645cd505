import { mix } from '../color.ts'
import { boxAround, type Canvas, type Layer, type Style } from '../scene.ts'
import { sky, stars } from '../sky.ts'
import { circle, glow, num, type Point, radial } from '../svg.ts'

/** A ringed planet, moons on their paths, clouds of light behind. */
export const space: Style = (canvas) => {
  const { width, height, random, unit, subject } = canvas
  const shared = subject.motifs.length > 0
  const center = shared
    ? { x: width * 0.34, y: height * 0.34 }
    : { x: width * random.between(0.38, 0.62), y: height * random.between(0.38, 0.5) }
  const radius = unit * (shared ? 13 : random.between(15, 20))
  const paths = [1.75, 2.45, 3.2].map((reach) => reach * radius)
  return [
    sky(canvas),
    ...nebula(canvas),
    ...stars(canvas, height * 1.4),
    orbitLines(canvas, center, paths),
    ...planet(canvas, center, radius),
    ...paths.map((reach, i) => moonOn(canvas, center, reach, i)),
  ]
}

const tilt = 0.34

function nebula({ width, height, unit, random, subject }: Canvas): Layer[] {
  const { accent, second, far } = subject.palette
  return [accent, far, second, accent].map((color, i) => {
    const id = `nebula${i}`
    const at = { x: random.between(0, width), y: random.between(0, height) }
    const size = unit * random.between(34, 62)
    return {
      svg: `<defs>${glow(id, color, 0.42)}</defs>${circle(at, size, `fill="url(#${id})"`)}`,
      motion: {
        pulse: { depth: 0.5, turnsPerSecond: 0.2, phase: i / 4 },
      },
    }
  })
}

function orbitLines({ unit, subject }: Canvas, { x, y }: Point, paths: number[]): Layer {
  const lines = paths.map(
    (reach) =>
      `<ellipse cx="${num(x)}" cy="${num(y)}" rx="${num(reach)}" ry="${num(reach * tilt)}"/>`,
  )
  return {
    svg: `<g fill="none" stroke="${subject.palette.light}" stroke-opacity="0.22" stroke-width="${num(unit * 0.22)}">${lines.join('')}</g>`,
  }
}

function planet({ unit, random, subject }: Canvas, center: Point, radius: number): Layer[] {
  const { accent, second, light, near } = subject.palette
  const { x, y } = center
  const body = `<radialGradient id="body" cx="0.34" cy="0.3" r="0.85"><stop offset="0" stop-color="${mix(accent, light, 0.55)}"/><stop offset="0.45" stop-color="${accent}"/><stop offset="1" stop-color="${mix(accent, near, 0.85)}"/></radialGradient>`
  const clip = `<clipPath id="disc">${circle(center, radius, '')}</clipPath>`
  const bands = Array.from({ length: 6 }, () => {
    const down = y + radius * random.between(-0.85, 0.85)
    return `<ellipse cx="${num(x)}" cy="${num(down)}" rx="${num(radius * 1.1)}" ry="${num(radius * random.between(0.04, 0.13))}" fill="${random.chance(0.5) ? second : light}" fill-opacity="${num(random.between(0.1, 0.3))}"/>`
  })
  // The far half of the rings goes behind the disc, the near half before it.
  const ring = (sweep: 0 | 1) =>
    `<g fill="none" stroke="${mix(second, light, 0.35)}">${[1.42, 1.6, 1.72]
      .map((reach, i) => {
        const rx = radius * reach
        const start = x - rx
        return `<path stroke-opacity="${[0.75, 0.5, 0.3][i]}" stroke-width="${num(unit * ([1.5, 0.9, 0.4][i] ?? 1))}" d="M${num(start)} ${num(y)}A${num(rx)} ${num(rx * tilt * 0.62)} 0 0 ${sweep} ${num(x + rx)} ${num(y)}"/>`
      })
      .join('')}</g>`
  const motion = { orbit: { rx: 0, ry: unit * 0.8, turnsPerSecond: 0.16, phase: 0 } }
  const halo = `<defs>${glow('air', accent, 0.5)}</defs>${circle(center, radius * 1.7, 'fill="url(#air)"')}`
  const disc = `<defs>${body}${clip}</defs>${circle(center, radius, 'fill="url(#body)"')}<g clip-path="url(#disc)">${bands.join('')}</g>`
  return [{ svg: halo + ring(1) + disc + ring(0), motion }]
}

function moonOn({ unit, random, subject }: Canvas, center: Point, reach: number, i: number): Layer {
  const { light, second, accent, near } = subject.palette
  const phase = random.next()
  const angle = phase * 2 * Math.PI
  const at = {
    x: center.x + reach * Math.cos(angle),
    y: center.y + reach * tilt * Math.sin(angle),
  }
  const color = [second, light, mix(accent, light, 0.4)][i] ?? light
  const size = unit * random.between(1.5, 3.2)
  const id = `moon${i}`
  const fill = radial(id, [
    { at: 0, color: mix(color, light, 0.5) },
    { at: 0.6, color },
    { at: 1, color: mix(color, near, 0.45) },
  ])
  return {
    svg: `<defs>${fill}</defs>${circle(at, size, `fill="url(#${id})"`)}`,
    box: boxAround(at, size + 1),
    motion: { orbit: { rx: reach, ry: reach * tilt, turnsPerSecond: 0.11 - i * 0.03, phase } },
  }
}
