import { mix } from '../color.ts'
import { depthColor } from '../palette.ts'
import { type Canvas, drift, type Layer, overscan } from '../scene.ts'
import { sky } from '../sky.ts'
import { num, shape, vertical } from '../svg.ts'

/** Three rows of towers with lit windows. */
export function city(canvas: Canvas): Layer[] {
  const { width, height, random } = canvas
  const sun = { x: width * random.between(0.2, 0.8), y: height * random.between(0.2, 0.32) }
  return [...sky(canvas, height * 0.85, sun), ...[0, 0.45, 0.95].map((depth) => row(canvas, depth))]
}

function row({ width, height, unit, random, subject }: Canvas, depth: number): Layer {
  const { palette, isNight } = subject
  const pane = unit * (0.75 + depth * 0.45)
  const panes = { bright: '', warm: '' }
  let towers = ''
  for (let x = -overscan; x < width + 20; ) {
    const wide = unit * random.between(7, 14) * (0.7 + depth * 0.6)
    const top = height * 0.93 - random.between(0.35, 1) ** 1.3 * height * (0.62 - depth * 0.28)
    towers += `M${num(x)} ${num(height + 10)}V${num(top)}h${num(wide)}V${num(height + 10)}z${crown(random.whole(0, 5), x, top, wide)}`
    const columns = Math.max(1, Math.floor(wide / (pane * 2)))
    for (let column = 0; column < columns; column++) {
      const left = x + (wide / columns) * (column + 0.5) - pane * 0.45
      for (let y = top + pane * 1.6; y < height; y += pane * 2.3) {
        if (!random.chance(isNight ? 0.42 : 0.2)) continue
        panes[random.chance(0.75) ? 'bright' : 'warm'] +=
          `M${num(left)} ${num(y)}h${num(pane * 0.9)}v${num(pane * 1.2)}h${num(-pane * 0.9)}z`
      }
    }
    x += wide + unit * (random.chance(0.25) ? random.between(1, 5) : 0.2)
  }
  const color = depthColor(palette, depth)
  const id = `row${num(depth * 100)}`
  const glass = `fill-opacity="${num(0.25 + depth * 0.65)}"`
  const svg =
    vertical(id, [0, color], [1, mix(color, palette.sky[2], 0.5 * (1 - depth))]) +
    shape(towers, `url(#${id})`) +
    shape(panes.bright, mix(palette.light, '#ffd98a', 0.4), glass) +
    shape(panes.warm, palette.accent, glass)
  return drift(svg, unit * (0.3 + depth * 3))
}

/** A mast, a step or a pointed roof on a tower. */
function crown(kind: number, x: number, top: number, wide: number): string {
  const block = (half: number, rise: number) =>
    `M${num(x + wide / 2 - half)} ${num(top + 1)}v${num(-rise)}h${num(half * 2)}v${num(rise)}z`
  if (kind === 0) return block(wide * 0.02, wide * 0.6)
  if (kind === 1) return block(wide * 0.3, wide * 0.28) + block(wide * 0.02, wide * 0.6)
  if (kind === 2) return block(wide * 0.3, wide * 0.22)
  if (kind > 3) return ''
  const slope = `l${num(wide / 2)} ${num(-wide * 0.45)}l${num(wide / 2)} ${num(wide * 0.45)}`
  return `M${num(x)} ${num(top + 1)}${slope}z`
}
