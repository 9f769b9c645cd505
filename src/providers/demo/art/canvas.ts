// What all drawings are made of: SVG shapes, and layers of them from back to front. A still shows
// the layers at second 0; a video draws the moving ones again for each frame.
import type { Random } from './random.ts'
import type { Subject } from './subject.ts'

export type Point = { x: number; y: number }
export type Size = { width: number; height: number }
export type Box = Point & Size

/** How far left of the frame a drifting layer begins: room for ten seconds of the fastest drift. */
export const overscan = 440

/** A string stays as it is; a function draws the layer as it looks after so many seconds. */
export type Layer = string | ((seconds: number) => string)

export type Canvas = Size & {
  /** A hundredth of the shorter side. Sizes in this unit suit every aspect ratio. */
  unit: number
  /** The position of the sun or moon, and of the path of its light on water. */
  sunX: number
  random: Random
  subject: Subject
}

export const repeat = (count: number, draw: () => string): string =>
  Array.from({ length: count }, draw).join('')

/** Hundredths are finer than any pixel drawn here, so that slow motion stays smooth. */
export const num = (value: number): string => String(Math.round(value * 100) / 100)

export const shape = (d: string, fill: string, opacity = 1): string =>
  `<path d="${d}" fill="${fill}" fill-opacity="${num(opacity)}"/>`

export const line = (d: string, color: string, width: number, opacity = 1): string =>
  `<path d="${d}" fill="none" stroke="${color}" stroke-width="${num(width)}" stroke-opacity="${num(opacity)}" stroke-linecap="round" stroke-linejoin="round"/>`

export const circle = ({ x, y }: Point, radius: number, fill: string, opacity = 1): string =>
  `<circle cx="${num(x)}" cy="${num(y)}" r="${num(radius)}" fill="${fill}" fill-opacity="${num(opacity)}"/>`

export const rect = ({ x, y, width, height }: Box, fill: string, more = ''): string =>
  `<rect x="${num(x)}" y="${num(y)}" width="${num(width)}" height="${num(height)}" fill="${fill}" ${more}/>`

type Stop = readonly [at: number, color: string, opacity?: number]

const stopOf = ([at, color, opacity = 1]: Stop) =>
  `<stop offset="${num(at)}" stop-color="${color}" stop-opacity="${num(opacity)}"/>`

/** A gradient from top to bottom of the shape that is filled with `url(#id)`. */
export const vertical = (id: string, ...stops: Stop[]): string =>
  `<defs><linearGradient id="${id}" x2="0" y2="1">${stops.map(stopOf).join('')}</linearGradient></defs>`

/** A gradient from the middle of the shape outwards. */
export const radial = (id: string, ...stops: Stop[]): string =>
  `<defs><radialGradient id="${id}">${stops.map(stopOf).join('')}</radialGradient></defs>`

/** A soft spot of light that fades to nothing. */
export const glow = (id: string, ink: string, opacity: number): string =>
  radial(id, [0, ink, opacity], [0.3, ink, opacity / 2], [0.6, ink, opacity / 6], [1, ink, 0])

export const moved = (svg: string, x: number, y: number) =>
  `<g transform="translate(${num(x)} ${num(y)})">${svg}</g>`

/** Moves to the right by `speed` every second. */
export function drift(svg: string, speed: number): Layer {
  return (seconds) => moved(svg, speed * seconds, 0)
}

/** Moves around an ellipse with these radii every `period` seconds, from where it was drawn. */
export function sway(svg: string, { x, y, period }: Point & { period: number }): Layer {
  return (seconds) => {
    const angle = (2 * Math.PI * seconds) / period
    return moved(svg, x * Math.sin(angle), y * (1 - Math.cos(angle)))
  }
}
