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

const gradient =
  (tag: 'linearGradient' | 'radialGradient') =>
  (id: string, ...stops: Stop[]): string => {
    const parts = stops.map(
      ([at, color, opacity = 1]) =>
        `<stop offset="${num(at)}" stop-color="${color}" stop-opacity="${num(opacity)}"/>`,
    )
    return `<defs><${tag} id="${id}" x2="0" y2="1">${parts.join('')}</${tag}></defs>`
  }

/** Runs down the shape that is filled with `url(#id)`. */
export const vertical = gradient('linearGradient')
export const radial = gradient('radialGradient')

/** A soft spot of light that fades to nothing. */
export const glow = (id: string, color: string, opacity: number): string =>
  radial(id, [0, color, opacity], [0.35, color, opacity * 0.42], [1, color, 0])
