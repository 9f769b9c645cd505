import { mix } from './palette.ts'
import { type Canvas, drift, type Layer, overscan } from './scene.ts'
import { sky } from './sky.ts'
import { num, shape, vertical } from './svg.ts'

/** Three rows of towers with lit windows. */
export function city(canvas: Canvas): Layer[] {
  return [
    ...sky(canvas, canvas.height * 0.7),
    ...[0, 0.45, 0.95].map((depth) => row(canvas, depth)),
  ]
}

const block = (x: number, y: number, width: number, height: number) =>
  `M${num(x)} ${num(y)}h${num(width)}v${num(height)}h${num(-width)}z`

function row({ width, height, unit, random, subject }: Canvas, depth: number): Layer {
  const { palette, isNight } = subject
  const pane = unit * (0.75 + depth * 0.45)
  const panes = { bright: '', warm: '' }
  let towers = ''
  for (let x = -overscan; x < width + 20; ) {
    const wide = unit * random.between(7, 14) * (0.7 + depth * 0.6)
    const top = height * 0.93 - random.between(0.35, 1) ** 1.3 * height * (0.62 - depth * 0.28)
    towers += block(x, top, wide, height + 10 - top)
    // A step and a mast on some of the roofs.
    if (random.chance(0.5))
      towers += block(x + wide * 0.2, top - wide * 0.25, wide * 0.6, wide * 0.3)
    if (random.chance(0.3))
      towers += block(x + wide * 0.48, top - wide * 0.6, wide * 0.04, wide * 0.7)
    const columns = Math.max(1, Math.floor(wide / (pane * 2)))
    for (let column = 0; column < columns; column++) {
      const left = x + (wide / columns) * (column + 0.5) - pane * 0.45
      for (let y = top + pane * 1.6; y < height; y += pane * 2.3) {
        const isLit = random.chance(isNight ? 0.42 : 0.2)
        if (isLit)
          panes[random.chance(0.75) ? 'bright' : 'warm'] += block(left, y, pane * 0.9, pane * 1.2)
      }
    }
    x += wide + unit * (random.chance(0.25) ? random.between(1, 5) : 0.2)
  }
  const color = mix(palette.far, palette.near, depth)
  const id = `row${num(depth * 100)}`
  const svg =
    vertical(id, [0, color], [1, mix(color, palette.sky[2], 0.5 * (1 - depth))]) +
    shape(towers, `url(#${id})`) +
    shape(panes.bright, mix(palette.light, '#ffd98a', 0.4), 0.25 + depth * 0.65) +
    shape(panes.warm, palette.accent, 0.25 + depth * 0.65)
  return drift(svg, unit * (0.3 + depth * 3))
}
