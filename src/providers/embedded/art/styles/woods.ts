import { mix } from '../color.ts'
import { depthColor } from '../palette.ts'
import { heightAt, ridge } from '../ridge.ts'
import { type Canvas, type Layer, overscan, type Style } from '../scene.ts'
import { heavenlyBody, sky, stars } from '../sky.ts'
import { circle, glow, num, type Point, pathOf, rect, vertical } from '../svg.ts'

/** Rows of conifers with mist between them. */
export const woods: Style = (canvas) => {
  const { width, height, random, subject } = canvas
  const body = { x: width * random.between(0.3, 0.7), y: height * random.between(0.22, 0.36) }
  const rows = 4
  return [
    sky(canvas, 0.7),
    ...(subject.night ? stars(canvas, height * 0.5) : []),
    heavenlyBody(canvas, body, random.between(6, 9)),
    ...Array.from({ length: rows }, (_, i) => i / (rows - 1)).flatMap((depth) => [
      stand(canvas, depth),
      ...(depth < 1 ? [mist(canvas, depth)] : []),
    ]),
    ...fireflies(canvas),
  ]
}

function stand(canvas: Canvas, depth: number): Layer {
  const { width, height, unit, random, subject } = canvas
  const ground = ridge(random, {
    from: -overscan,
    to: width + 20,
    step: 8,
    base: height * (0.66 + depth * 0.3),
    height: unit * 8,
    span: unit * 50,
  })
  const color = depthColor(subject.palette, 0.12 + depth * 0.88)
  let trees = ''
  const gap = unit * (3 + depth * 6)
  for (let x = -overscan; x < width + 20; x += random.between(0.4, 1.5) * gap) {
    const tall = unit * random.between(16, 30) * (0.55 + depth * 0.75)
    trees += conifer({ x, y: heightAt(ground, x) + unit * 2 }, tall, random.between(0.14, 0.2))
  }
  const close = `V${num(height + 5)}H${-overscan}z`
  return {
    svg: `<path fill="${color}" d="${pathOf(ground)}${close}${trees}"/>`,
    motion: { drift: { x: unit * (0.3 + depth * 3.4), y: 0 } },
  }
}

/** Boughs that widen downwards, each tier a little ragged. */
function conifer({ x, y }: Point, tall: number, slim: number): string {
  const tiers = 6
  const right: Point[] = []
  for (let i = 1; i <= tiers; i++) {
    const down = y - tall + (tall * 0.94 * i) / tiers
    const out = tall * slim * (i / tiers) ** 0.85
    right.push({ x: x + out, y: down + tall * 0.02 }, { x: x + out * 0.45, y: down - tall * 0.012 })
  }
  const left = right.toReversed().map((point) => ({ x: 2 * x - point.x, y: point.y }))
  return `${pathOf([{ x, y: y - tall }, ...right, { x: x + tall * 0.018, y }, { x: x - tall * 0.018, y }, ...left])}z`
}

function mist({ width, height, unit, subject }: Canvas, depth: number): Layer {
  const color = mix(subject.palette.sky[2], subject.palette.far, 0.2)
  const id = `mist${num(depth * 10)}`
  const fill = vertical(id, [
    { at: 0, color, opacity: 0 },
    { at: 0.55, color, opacity: 0.5 },
    { at: 1, color, opacity: 0 },
  ])
  const top = height * (0.5 + depth * 0.26)
  const band = { width: width + 2 * overscan, height: unit * 34 }
  return {
    svg: `<defs>${fill}</defs>${rect({ x: -overscan, y: top }, band, `fill="url(#${id})"`)}`,
  }
}

function fireflies({ width, height, unit, random, subject }: Canvas): Layer[] {
  if (!subject.night) return []
  return [0, 0.5].map((phase, i) => {
    const id = `firefly${i}`
    const dots = Array.from({ length: 9 }, () => {
      const at = { x: random.between(0, width), y: height * random.between(0.55, 0.92) }
      return circle(at, unit * random.between(1, 2.2), `fill="url(#${id})"`)
    })
    return {
      svg: `<defs>${glow(id, subject.palette.accent, 1)}</defs>${dots.join('')}`,
      motion: {
        pulse: { depth: 0.8, turnsPerSecond: 0.4, phase },
        orbit: { rx: unit * 2, ry: unit, turnsPerSecond: 0.12, phase },
      },
    }
  })
}
