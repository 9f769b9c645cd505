import { mix } from '../color.ts'
import { depthColor } from '../palette.ts'
import { type Canvas, type Layer, overscan, type Style } from '../scene.ts'
import { clouds, heavenlyBody, sky, stars } from '../sky.ts'
import { num, vertical } from '../svg.ts'

/** Three rows of towers with lit windows. */
export const city: Style = (canvas) => {
  const { width, height, random, subject } = canvas
  const body = { x: width * random.between(0.2, 0.8), y: height * random.between(0.2, 0.34) }
  return [
    sky(canvas, 0.85),
    ...(subject.night ? stars(canvas, height * 0.6) : []),
    heavenlyBody(canvas, body, random.between(6, 10)),
    ...clouds(canvas, height * 0.12, height * 0.4),
    ...[0, 0.45, 0.95].map((depth) => row(canvas, depth)),
  ]
}

type Tower = { x: number; top: number; wide: number; crown: number }

function row(canvas: Canvas, depth: number): Layer {
  const { width, height, unit, random, subject } = canvas
  const color = depthColor(subject.palette, depth)
  const foot = height + 10
  const towers: Tower[] = []
  for (let x = -overscan; x < width + 20; ) {
    const wide = unit * random.between(7, 14) * (0.7 + depth * 0.6)
    const rise = random.between(0.35, 1) ** 1.3 * height * (0.62 - depth * 0.28)
    towers.push({ x, top: height * 0.93 - rise, wide, crown: random.whole(0, 5) })
    x += wide + (random.chance(0.25) ? unit * random.between(1, 5) : unit * 0.2)
  }
  const id = `row${num(depth * 10)}`
  const fill = vertical(id, [
    { at: 0, color },
    { at: 1, color: mix(color, subject.palette.sky[2], 0.5 * (1 - depth)) },
  ])
  const blocks = towers.map(({ x, top, wide, crown }) => {
    const body = `M${num(x)} ${num(foot)}V${num(top)}h${num(wide)}V${num(foot)}z`
    return `<path d="${body}${crownOf(crown, x, top, wide, unit)}"/>`
  })
  return {
    svg: `<defs>${fill}</defs><g fill="url(#${id})">${blocks.join('')}</g>${windows(canvas, towers, depth)}`,
    motion: { drift: { x: unit * (0.3 + depth * 3), y: 0 } },
  }
}

function crownOf(kind: number, x: number, top: number, wide: number, unit: number): string {
  const middle = x + wide / 2
  const block = (half: number, rise: number) =>
    `M${num(middle - half)} ${num(top + 1)}v${num(-rise)}h${num(half * 2)}v${num(rise)}z`
  if (kind === 0) return block(unit * 0.2, unit * 6)
  if (kind === 1) return block(wide * 0.3, unit * 3) + block(unit * 0.2, unit * 6)
  if (kind === 2)
    return `M${num(x)} ${num(top + 1)}l${num(wide / 2)} ${num(-wide * 0.45)}l${num(wide / 2)} ${num(wide * 0.45)}z`
  if (kind === 3) return block(wide * 0.3, unit * 2.4)
  return ''
}

function windows(canvas: Canvas, towers: readonly Tower[], depth: number): string {
  const { height, unit, random, subject } = canvas
  const size = unit * (0.75 + depth * 0.45)
  const lit = subject.night ? 0.42 : 0.2
  let bright = ''
  let warm = ''
  for (const { x, top, wide } of towers) {
    const columns = Math.max(1, Math.floor(wide / (size * 2)))
    const gap = wide / columns
    for (let column = 0; column < columns; column++) {
      for (let y = top + size * 1.6; y < height; y += size * 2.3) {
        if (!random.chance(lit)) continue
        const left = x + gap * (column + 0.5) - size * 0.45
        const mark = `M${num(left)} ${num(y)}h${num(size * 0.9)}v${num(size * 1.2)}h${num(-size * 0.9)}z`
        if (random.chance(0.75)) bright += mark
        else warm += mark
      }
    }
  }
  const { light, accent } = subject.palette
  const opacity = num(0.25 + depth * 0.65)
  return `<g fill-opacity="${opacity}"><path fill="${mix(light, '#ffd98a', 0.4)}" d="${bright}"/><path fill="${accent}" d="${warm}"/></g>`
}
