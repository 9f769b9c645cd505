import type { PictureHeader } from '#core/picture-header.ts'
import { mix } from './palette.ts'
import { type Canvas, type Layer, sway } from './scene.ts'
import { num, type Point, rect, type Size, vertical } from './svg.ts'

/** A picture the caller sent along. */
export type Picture = PictureHeader & { bytes: Uint8Array }

export const imageOf = ({ type, bytes }: Picture, { x, y, width, height }: Point & Size) => {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  return `<image x="${num(x)}" y="${num(y)}" width="${num(width)}" height="${num(height)}" preserveAspectRatio="xMidYMid slice" href="data:image/${type};base64,${data}"/>`
}

/** A ground for pictures that are transparent somewhere. */
const paper = '#e7e4dd'

const grown = ({ x, y, width, height }: Point & Size, edge: number) => ({
  x: x - edge,
  y: y - edge,
  width: width + 2 * edge,
  height: height + 2 * edge,
})

/** Hung on a wall, in a passe-partout. */
export function hangOnWall({ width, height, unit, subject }: Canvas, picture: Picture): Layer[] {
  const { sky, near } = subject.palette
  const scale = Math.min((width * 0.72) / picture.width, (height * 0.54) / picture.height)
  const [wide, high] = [picture.width * scale, picture.height * scale]
  const box = { x: (width - wide) / 2, y: height * 0.42 - high / 2, width: wide, height: high }
  const frame = grown(box, 2.2 * unit)
  return [
    vertical('wall', [0, mix(sky[2], sky[1], 0.6)], [0.7, sky[2]], [1, mix(sky[2], near, 0.5)]),
    rect({ x: 0, y: 0, width, height }, 'url(#wall)'),
    rect({ ...frame, y: frame.y + 1.5 * unit }, '#000', 'fill-opacity="0.22"'),
    rect(frame, '#fbfaf7') + rect(box, paper) + imageOf(picture, box),
  ]
}

/** Fills the frame, a little larger than it, and moves slowly: where a film starts. */
export function fillFrame({ width, height, unit }: Canvas, picture: Picture): Layer[] {
  const box = { x: 0, y: 0, width, height }
  const motion = { x: unit * 2, y: unit * 2, period: 16 }
  return [rect(box, paper), sway(imageOf(picture, grown(box, 4 * unit)), motion)]
}
