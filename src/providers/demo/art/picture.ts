import type { PictureHeader } from '#core/picture-header.ts'
import {
  type Box,
  type Canvas,
  type Layer,
  num,
  rect,
  type Size,
  sway,
  vertical,
} from './canvas.ts'
import { mix } from './palette.ts'

/** A picture that the caller sent. */
export type Picture = PictureHeader & { bytes: Uint8Array }

export const imageOf = ({ type, bytes }: Picture, { x, y, width, height }: Box) => {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  return `<image x="${num(x)}" y="${num(y)}" width="${num(width)}" height="${num(height)}" preserveAspectRatio="xMidYMid slice" href="data:image/${type};base64,${data}"/>`
}

/** The background of pictures with transparent parts. */
const paper = '#e7e4dd'

/** Hangs the picture on a wall, in a passe-partout. */
export function hangOnWall({ width, height, unit, subject }: Canvas, picture: Picture): Layer[] {
  const { sky, near } = subject.palette
  const scale = Math.min((width * 0.72) / picture.width, (height * 0.54) / picture.height)
  const [wide, high] = [picture.width * scale, picture.height * scale]
  const box = { x: (width - wide) / 2, y: height * 0.42 - high / 2, width: wide, height: high }
  const border = (color: string) => `stroke="${color}" stroke-width="${num(4.4 * unit)}"`
  return [
    vertical('wall', [0, mix(sky[2], sky[1], 0.6)], [0.7, sky[2]], [1, mix(sky[2], near, 0.5)]),
    rect({ x: 0, y: 0, width, height }, 'url(#wall)'),
    rect({ ...box, y: box.y + 1.5 * unit }, '#000', `${border('#000')} opacity="0.22"`),
    rect(box, paper, border('#fbfaf7')) + imageOf(picture, box),
  ]
}

/** The picture over all else, except where the mask is transparent: that part is drawn anew. */
export function keptPart({ width, height }: Size, picture: Picture, mask: Picture): Layer {
  const box = { x: 0, y: 0, width, height }
  return `<mask id="kept" mask-type="alpha" maskUnits="userSpaceOnUse" x="0" y="0" width="${num(width)}" height="${num(height)}">${imageOf(mask, box)}</mask><g mask="url(#kept)">${rect(box, paper)}${imageOf(picture, box)}</g>`
}

/** Fills a little more than the frame and moves slowly, as the start of a video. */
export function fillFrame({ width, height, unit }: Canvas, picture: Picture): Layer[] {
  const edge = 4 * unit
  const box = { x: -edge, y: -edge, width: width + 2 * edge, height: height + 2 * edge }
  return [rect(box, paper), sway(imageOf(picture, box), { x: edge / 2, y: edge / 2, period: 16 })]
}
