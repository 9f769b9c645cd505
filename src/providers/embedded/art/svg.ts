export type Point = { x: number; y: number }

/** Tenths are finer than any pixel drawn here, and keep the text short. */
export const num = (value: number): string => String(Math.round(value * 10) / 10)

export const escapeXml = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

export const pathOf = (points: readonly Point[]): string =>
  points.map(({ x, y }, i) => `${i === 0 ? 'M' : 'L'}${num(x)} ${num(y)}`).join('')

export const circle = ({ x, y }: Point, radius: number, attributes: string): string =>
  `<circle cx="${num(x)}" cy="${num(y)}" r="${num(radius)}" ${attributes}/>`

export const rect = (
  { x, y }: Point,
  { width, height }: { width: number; height: number },
  attributes: string,
): string =>
  `<rect x="${num(x)}" y="${num(y)}" width="${num(width)}" height="${num(height)}" ${attributes}/>`

type Stop = { at: number; color: string; opacity?: number }

const stops = (list: readonly Stop[]) =>
  list
    .map(
      ({ at, color, opacity = 1 }) =>
        `<stop offset="${at}" stop-color="${color}" stop-opacity="${opacity}"/>`,
    )
    .join('')

/** Runs down the shape it fills. */
export const vertical = (id: string, list: readonly Stop[]): string =>
  `<linearGradient id="${id}" x1="0" y1="0" x2="0" y2="1">${stops(list)}</linearGradient>`

/** Runs across the shape it fills, from its left to its right edge. */
export const horizontal = (id: string, list: readonly Stop[]): string =>
  `<linearGradient id="${id}">${stops(list)}</linearGradient>`

export const radial = (id: string, list: readonly Stop[]): string =>
  `<radialGradient id="${id}">${stops(list)}</radialGradient>`

/** A soft spot of light that fades to nothing. */
export const glow = (id: string, color: string, opacity: number): string =>
  radial(id, [
    { at: 0, color, opacity },
    { at: 0.35, color, opacity: opacity * 0.45 },
    { at: 0.7, color, opacity: opacity * 0.12 },
    { at: 1, color, opacity: 0 },
  ])

/** Shows the area `view` of the drawing in `size` pixels. */
export const svgDocument = (
  body: string,
  size: { width: number; height: number },
  view: Point & { width: number; height: number },
): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" viewBox="${view.x} ${view.y} ${view.width} ${view.height}" preserveAspectRatio="none">${body}</svg>`
