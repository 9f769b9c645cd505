import { mix } from './palette.ts'
import { type Canvas, drift, type Layer, overscan } from './scene.ts'
import { sky } from './sky.ts'
import { num, shape, vertical } from './svg.ts'

/** Three rows of towers with lit windows. */
export function city(canvas: Canvas): Layer[] {
  const rows = [0, 0.45, 0.95].map((depth) => row(canvas, depth))
  return [...sky(canvas, canvas.height * 0.7), ...rows]
}

const block = (x: number, y: number, width: number, height: number) =>
  `M${num(x)} ${num(y)}h${num(width)}v${num(height)}h${num(-width)}z`

function row({ width, height, unit, random, subject }: Canvas, depth: number): Layer {
  const { palette, isNight } = subject
  const pane = unit * (0.75 + depth * 0.45)
  const panes = { light: '', accent: '' }
  let towers = ''
  for (let x = -overscan; x < width + 20; ) {
    const wide = unit * random.between(7, 14) * (0.7 + depth * 0.6)
    const top = height * 0.93 - random.between(0.35, 1) ** 1.3 * height * (0.62 - depth * 0.28)
    // A step, a mast or nothing on the roof.
    const rise = wide * random.pick([0, 0.25, 0.6])
    const broad = wide * (rise > wide * 0.5 ? 0.04 : 0.6)
    towers += block(x, top, wide, height + 10 - top)
    towers += block(x + (wide - broad) / 2, top - rise, broad, rise + 1)
    const gap = wide / Math.max(1, Math.floor(wide / (pane * 2)))
    for (let left = x + gap / 2 - pane * 0.45; left < x + wide; left += gap) {
      for (let y = top + pane * 1.6; y < height; y += pane * 2.3) {
        if (random.next() > (isNight ? 0.42 : 0.2)) continue
        panes[random.pick(['light', 'light', 'light', 'accent'])] += block(
          left,
          y,
          pane * 0.9,
          pane * 1.2,
        )
      }
    }
    x += wide + unit * random.pick([0.2, 0.2, 0.2, 3])
  }
  const color = mix(palette.far, palette.near, depth)
  const id = `row${num(depth * 100)}`
  const svg =
    vertical(id, [0, color], [1, mix(color, palette.sky[2], 0.5 * (1 - depth))]) +
    shape(towers, `url(#${id})`) +
    shape(panes.light, mix(palette.light, '#ffd98a', 0.4), 0.25 + depth * 0.65) +
    shape(panes.accent, palette.accent, 0.25 + depth * 0.65)
  return drift(svg, unit * (0.3 + depth * 3))
}
