import { mix } from '../color.ts'
import { type Canvas, type Layer, sway } from '../scene.ts'
import { num, rect, shape, vertical } from '../svg.ts'

/** Where the wall meets the floor, as a share of the height. */
const skirting = 0.68

/** A wall, a table top, and the light of a window on both. */
export function room({ width, height, unit, subject }: Canvas): Layer[] {
  const { sky, near, far, light } = subject.palette
  const wall = mix(sky[2], sky[1], subject.isNight ? 0.6 : 0.3)
  const table = mix(mix(far, near, 0.32), wall, 0.2)
  const edge = height * skirting
  const ground =
    vertical('wall', [0, mix(wall, sky[1], 0.35)], [1, wall]) +
    rect({ x: 0, y: 0 }, { width, height: edge }, 'url(#wall)') +
    vertical('table', [0, table], [1, mix(table, near, 0.45)]) +
    rect({ x: 0, y: edge }, { width, height: height - edge }, 'url(#table)') +
    rect({ x: 0, y: edge }, { width, height: unit * 0.5 }, mix(table, light, 0.4))
  // Two panes, thrown aslant.
  const pane = (left: number, wide: number) =>
    `M${num(left)} ${num(height * 0.1)}h${num(wide)}l${num(-width * 0.16)} ${num(height * 0.5)}h${num(-wide)}z`
  const panes = pane(width * 0.3, width * 0.2) + pane(width * 0.54, width * 0.2)
  return [
    ground,
    sway(shape(panes, light, 'fill-opacity="0.26"'), { x: unit * 2, y: 0, period: 9 }),
  ]
}
