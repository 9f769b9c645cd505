// A picture as a pile of layers, back to front. A still shows them at the start; a film draws
// the moving ones again for each frame.
import type { Random } from './random.ts'
import type { Subject } from './subject.ts'
import { num, type Point, type Size } from './svg.ts'

/** The longer side of every drawing; sizes in pixels come later. */
export const longSide = 1000

/** How far left of the frame a drifting layer begins: ten seconds at the fastest drift. */
export const overscan = 440

/** A string stays as it is; a function draws the layer as it looks after so many seconds. */
export type Layer = string | ((seconds: number) => string)

export type Canvas = Size & {
  /** A hundredth of the shorter side: sizes in it suit every aspect ratio. */
  unit: number
  /** Where sun or moon stand, and the path of their light on water. */
  sunX: number
  random: Random
  subject: Subject
}

export const repeat = (count: number, draw: () => string): string =>
  Array.from({ length: count }, draw).join('')

const moved = (svg: string, x: number, y: number) =>
  `<g transform="translate(${num(x)} ${num(y)})">${svg}</g>`

/** Moves on to the right, in units per second. */
export function drift(svg: string, speed: number): Layer {
  return (seconds) => moved(svg, speed * seconds, 0)
}

/** Rides an ellipse with these radii once in `period` seconds, from where it was drawn. */
export function sway(svg: string, { x, y, period }: Point & { period: number }): Layer {
  return (seconds) => {
    const angle = (2 * Math.PI * seconds) / period
    return moved(svg, x * Math.sin(angle), y * (1 - Math.cos(angle)))
  }
}

/** Falls and comes back from above; `svg` is drawn a second time one height higher. */
export function fall(svg: string, speed: number, height: number): Layer {
  return (seconds) => {
    const y = (speed * seconds) % height
    return moved(svg, 0, y) + moved(svg, 0, y - height)
  }
}
