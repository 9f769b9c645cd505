import { mix } from '../color.ts'
import { type Canvas, type Layer, sway } from '../scene.ts'
import { circle, glow, num, rect, shape, vertical } from '../svg.ts'

/** Ribbons of light that flow across the picture. */
export function abstract({ width, height, unit, random, subject }: Canvas): Layer[] {
  const { sky, accent, second, far, light } = subject.palette
  const air =
    vertical('air', [0, sky[0]], [0.55, sky[1]], [1, sky[2]]) +
    rect({ x: 0, y: 0 }, { width, height }, 'url(#air)')
  const spot =
    glow('spot', light, 0.5) +
    circle({ x: width * random.between(0.2, 0.8), y: height * 0.3 }, unit * 60, 'url(#spot)')
  const colors = [far, second, mix(accent, light, 0.35), accent, mix(second, light, 0.5)]
  const ribbons = colors.map((color, i) => {
    const id = `ribbon${i}`
    const middle = height * (0.24 + i * 0.13)
    const [rise, phase] = [unit * random.between(9, 15), random.next() * 6]
    const long = width * random.between(1, 1.5)
    let [upper, lower] = ['', '']
    for (let x = -20 * unit; x <= width + 20 * unit; x += 2 * unit) {
      const y = middle + rise * Math.sin((x / long) * 2 * Math.PI + phase)
      const thick = unit * (24 + 14 * Math.sin((x / long) * 4 + phase * 2))
      upper += `${upper === '' ? 'M' : 'L'}${num(x)} ${num(y)}`
      lower = `L${num(x)} ${num(y + thick)}${lower}`
    }
    const svg =
      vertical(id, [0, mix(color, light, 0.3), 0.9], [0.5, color, 0.55], [1, color, 0]) +
      shape(`${upper}${lower}z`, `url(#${id})`)
    return sway(svg, { x: unit * (4 + i), y: unit * 2, period: 8 + i, phase: i / 6 })
  })
  return [air + spot, ...ribbons]
}
