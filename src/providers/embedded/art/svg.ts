export type Point = { x: number; y: number }
export type Size = { width: number; height: number }

/** Hundredths are finer than any pixel drawn here, so that slow motion stays smooth. */
export const num = (value: number): string => String(Math.round(value * 100) / 100)

export const escapeXml = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

export const lineThrough = (points: readonly Point[]): string =>
  points.map(({ x, y }, i) => `${i === 0 ? 'M' : 'L'}${num(x)} ${num(y)}`).join('')

export const shape = (d: string, fill: string, opacity = 1): string =>
  `<path d="${d}" fill="${fill}" fill-opacity="${num(opacity)}"/>`

export const line = (d: string, color: string, width: number, opacity = 1): string =>
  `<path d="${d}" fill="none" stroke="${color}" stroke-width="${num(width)}" stroke-opacity="${num(opacity)}" stroke-linecap="round" stroke-linejoin="round"/>`

export const circle = ({ x, y }: Point, radius: number, fill: string, opacity = 1): string =>
  `<circle cx="${num(x)}" cy="${num(y)}" r="${num(radius)}" fill="${fill}" fill-opacity="${num(opacity)}"/>`

export const rect = ({ x, y, width, height }: Point & Size, fill: string, more = ''): string =>
  `<rect x="${num(x)}" y="${num(y)}" width="${num(width)}" height="${num(height)}" fill="${fill}" ${more}/>`

type Stop = readonly [at: number, color: string, opacity?: number]

const stopOf = ([at, color, opacity = 1]: Stop) =>
  `<stop offset="${num(at)}" stop-color="${color}" stop-opacity="${num(opacity)}"/>`

/** Runs down the shape that is filled with `url(#id)`. */
export const vertical = (id: string, ...stops: Stop[]): string =>
  `<defs><linearGradient id="${id}" x2="0" y2="1">${stops.map(stopOf).join('')}</linearGradient></defs>`

/** Runs from the middle of the shape outwards. */
export const radial = (id: string, ...stops: Stop[]): string =>
  `<defs><radialGradient id="${id}">${stops.map(stopOf).join('')}</radialGradient></defs>`

/** A soft spot of light that fades to nothing. */
export const glow = (id: string, ink: string, opacity: number): string =>
  radial(id, [0, ink, opacity], [0.3, ink, opacity / 2], [0.6, ink, opacity / 6], [1, ink, 0])
