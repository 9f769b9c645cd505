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
  random: Random
  subject: Subject
}

export const drawAt = (layer: Layer, seconds: number): string =>
  typeof layer === 'string' ? layer : layer(seconds)

const moved = (svg: string, x: number, y: number) =>
  `<g transform="translate(${num(x)} ${num(y)})">${svg}</g>`

/** Moves on to the right, in units per second. */
export const drift =
  (layer: Layer, speed: number): Layer =>
  (seconds) =>
    moved(drawAt(layer, seconds), speed * seconds, 0)

type Cycle = { period: number; phase?: number }

const angleAt = ({ period, phase = 0 }: Cycle, seconds: number) =>
  2 * Math.PI * (phase + seconds / period)

/** Rides an ellipse with these radii once in `period` seconds, from where it was drawn. */
export const sway =
  (layer: Layer, { x, y, ...cycle }: Point & Cycle): Layer =>
  (seconds) => {
    const [from, now] = [angleAt(cycle, 0), angleAt(cycle, seconds)]
    const dx = x * (Math.cos(now) - Math.cos(from))
    return moved(drawAt(layer, seconds), dx, y * (Math.sin(now) - Math.sin(from)))
  }

/** Fades by up to `depth` and comes back. */
export const twinkle =
  (svg: string, { depth, ...cycle }: Cycle & { depth: number }): Layer =>
  (seconds) =>
    `<g opacity="${num(1 - depth * (0.5 + 0.5 * Math.sin(angleAt(cycle, seconds))))}">${svg}</g>`

/** Falls and comes back from above; `svg` is drawn a second time one height higher. */
export const fall =
  (svg: string, speed: number, height: number): Layer =>
  (seconds) =>
    moved(svg, 0, (speed * seconds) % height) + moved(svg, 0, ((speed * seconds) % height) - height)
