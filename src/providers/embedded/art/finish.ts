import type { PictureHeader } from '#core/picture-header.ts'
import { type Canvas, fall, type Layer, sway } from './scene.ts'
import { circle, ellipse, glow, num, radial, rect, type Size } from './svg.ts'

/** A picture the caller sent along. */
export type Picture = PictureHeader & { bytes: Uint8Array }

const imageIn = ({ type, bytes }: Picture, x: number, y: number, { width, height }: Size) => {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  return `<image x="${num(x)}" y="${num(y)}" width="${num(width)}" height="${num(height)}" preserveAspectRatio="xMidYMid slice" href="data:image/${type};base64,${data}"/>`
}

/** Hung on the wall, in a passe-partout. */
export function framed({ width, height, unit }: Canvas, picture: Picture): string {
  const scale = Math.min((width * 0.72) / picture.width, (height * 0.54) / picture.height)
  const size = { width: picture.width * scale, height: picture.height * scale }
  const [x, y, edge] = [(width - size.width) / 2, height * 0.42 - size.height / 2, 2.2 * unit]
  const border = (down: number, fill: string, more = '') =>
    rect(
      { x: x - edge, y: y - edge + down },
      { width: size.width + 2 * edge, height: size.height + 2 * edge },
      fill,
      `rx="${num(0.4 * unit)}" ${more}`,
    )
  return (
    border(1.8 * unit, '#000', 'fill-opacity="0.14"') +
    border(0.7 * unit, '#000', 'fill-opacity="0.18"') +
    border(0, '#fbfaf7') +
    rect({ x, y }, size, '#e7e4dd') +
    imageIn(picture, x, y, size)
  )
}

/** Fills the frame, a little larger than it, and moves slowly: where a film starts. */
export function filling({ width, height, unit }: Canvas, picture: Picture): Layer[] {
  const edge = 4 * unit
  const size = { width: width + 2 * edge, height: height + 2 * edge }
  // A ground for pictures that are transparent somewhere.
  const ground = rect({ x: 0, y: 0 }, { width, height }, '#e7e4dd')
  return [
    ground,
    sway(imageIn(picture, -edge, -edge, size), { x: edge / 2, y: edge / 2, period: 16 }),
  ]
}

/** Rain or snow before everything else. */
export function weather({ width, height, unit, random, subject }: Canvas): Layer[] {
  if (subject.weather === 'clear') return []
  const isSnow = subject.weather === 'snow'
  return [1, 0.6].map((near) => {
    const marks = Array.from({ length: 90 }, () => {
      const at = { x: random.between(-5 * unit, width + 5 * unit), y: random.between(0, height) }
      const size = random.between(0.5, 1) * near * unit
      if (isSnow) return circle(at, size * 0.55, '#fff', `fill-opacity="${num(near * 0.65)}"`)
      return `<path d="M${num(at.x)} ${num(at.y)}l${num(-size * 0.5)} ${num(size * 4)}" stroke="#fff" stroke-width="${num(size * 0.18)}" stroke-opacity="${num(near * 0.4)}"/>`
    })
    return fall(marks.join(''), (isSnow ? 9 : 90) * near * unit, height)
  })
}

/** Corners as dark as a lens makes them, and specks of light that float before the scene. */
export function richFinish({ width, height, unit, random, subject }: Canvas): Layer[] {
  const corners =
    radial('vignette', [0.55, '#000', 0], [1, '#000', 0.34]) +
    ellipse({ x: width / 2, y: height / 2 }, width * 0.78, height * 0.78, 'url(#vignette)')
  const motes = Array.from({ length: 30 }, () => {
    const at = { x: random.between(0, width), y: random.between(0, height) }
    return circle(at, unit * random.between(0.8, 3), 'url(#mote)')
  })
  const specks = glow('mote', subject.palette.light, 0.5) + motes.join('')
  return [corners, sway(specks, { x: unit * 3, y: unit * 5, period: 12 })]
}
