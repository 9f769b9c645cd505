// A picture as a pile of layers, back to front. A still shows them all at once; a film renders
// each layer once and then only moves it.
import type { Random } from './random.ts'
import type { Subject } from './subject.ts'
import type { Point } from './svg.ts'

/** The longer side of every picture; sizes in pixels come later. */
export const longSide = 1000

/** How far beyond the frame a drifting layer is drawn: ten seconds at the fastest drift. */
export const overscan = 480

type Wave = { turnsPerSecond: number; phase: number }

export type Motion = {
  /** Units per second. */
  drift?: Point
  /** Rides an ellipse; with one radius of zero it sways. */
  orbit?: Wave & { rx: number; ry: number }
  /** Grows by this share each second, around `pivot`. */
  grow?: number
  /** Turns per second, around `pivot`. */
  spin?: number
  /** Default: the middle of the frame. */
  pivot?: Point
  /** Fades by up to `depth` and comes back. */
  pulse?: Wave & { depth: number }
  /** Leaves at the lower edge and comes back at the upper one. */
  wraps?: true
}

export type Box = Point & { width: number; height: number }

export type Layer = {
  /** Complete in itself, its gradients included. */
  svg: string
  motion?: Motion
  /** Holds all that is drawn. Default: the frame and what motion brings into it. */
  box?: Box
}

export type Canvas = {
  width: number
  height: number
  /** A hundredth of the shorter side: sizes in it suit every aspect ratio. */
  unit: number
  random: Random
  subject: Subject
}

/** A square around `center`, for layers whose whole drawing lies within `radius` of it. */
export const boxAround = ({ x, y }: Point, radius: number): Box => ({
  x: x - radius,
  y: y - radius,
  width: 2 * radius,
  height: 2 * radius,
})

export type Style = (canvas: Canvas) => Layer[]
