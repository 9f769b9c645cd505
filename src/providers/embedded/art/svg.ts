export type Point = { x: number; y: number }
export type Size = { width: number; height: number }

/** Hundredths are finer than any pixel drawn here, so that slow motion stays smooth. */
export const num = (value: number): string => String(Math.round(value * 100) / 100)

export const escapeXml = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

export const lineThrough = (points: readonly Point[]): string =>
  points.map(({ x, y }, i) => `${i === 0 ? 'M' : 'L'}${num(x)} ${num(y)}`).join('')

export const shape = (d: string, fill: string, more = ''): string =>
  `<path d="${d}" fill="${fill}" ${more}/>`

export const line = (d: string, color: string, width: number, more = ''): string =>
  `<path d="${d}" fill="none" stroke="${color}" stroke-width="${num(width)}" stroke-linecap="round" stroke-linejoin="round" ${more}/>`

export const circle = ({ x, y }: Point, radius: number, fill: string, more = ''): string =>
  `<circle cx="${num(x)}" cy="${num(y)}" r="${num(radius)}" fill="${fill}" ${more}/>`

export const ellipse = ({ x, y }: Point, rx: number, ry: number, fill: string, more = ''): string =>
  `<ellipse cx="${num(x)}" cy="${num(y)}" rx="${num(rx)}" ry="${num(ry)}" fill="${fill}" ${more}/>`

export const rect = (at: Point, { width, height }: Size, fill: string, more = ''): string =>
  `<rect x="${num(at.x)}" y="${num(at.y)}" width="${num(width)}" height="${num(height)}" fill="${fill}" ${more}/>`

type Stop = readonly [at: number, color: string, opacity?: number]

const stopsOf = (stops: readonly Stop[]) =>
  stops
    .map(
      ([at, color, opacity = 1]) =>
        `<stop offset="${num(at)}" stop-color="${color}" stop-opacity="${num(opacity)}"/>`,
    )
    .join('')

/** Runs down the shape that is filled with `url(#id)`. */
export const vertical = (id: string, ...stops: Stop[]): string =>
  `<defs><linearGradient id="${id}" x1="0" y1="0" x2="0" y2="1">${stopsOf(stops)}</linearGradient></defs>`

export const radial = (id: string, ...stops: Stop[]): string =>
  `<defs><radialGradient id="${id}">${stopsOf(stops)}</radialGradient></defs>`

/** A soft spot of light that fades to nothing. */
export const glow = (id: string, color: string, opacity: number): string =>
  radial(
    id,
    [0, color, opacity],
    [0.35, color, opacity * 0.45],
    [0.7, color, opacity * 0.12],
    [1, color, 0],
  )

/** Shows a drawing of the size `view` in `size` pixels. */
export const svgDocument = (body: string, size: Size, view: Size): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" viewBox="0 0 ${num(view.width)} ${num(view.height)}" preserveAspectRatio="none">${body}</svg>`
