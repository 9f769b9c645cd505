import type { PictureHeader } from '../picture.ts'
import { mix } from './color.ts'
import type { Canvas, Layer } from './scene.ts'
import { circle, glow, num, radial, rect } from './svg.ts'

/** A picture the caller sent along. */
export type Picture = PictureHeader & { bytes: Uint8Array }

const href = ({ type, bytes }: Picture) =>
  `data:image/${type};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}`

/** Hung in the middle of the scene, in a passe-partout. */
export function framed({ width, height, unit }: Canvas, picture: Picture): Layer {
  const room = { width: width * 0.72, height: height * 0.56 }
  const scale = Math.min(room.width / picture.width, room.height / picture.height)
  const size = { width: picture.width * scale, height: picture.height * scale }
  const at = { x: (width - size.width) / 2, y: height * 0.42 - size.height / 2 }
  const edge = 2.2 * unit
  const border = (shift: number, attributes: string) =>
    rect(
      { x: at.x - edge, y: at.y - edge + shift },
      { width: size.width + 2 * edge, height: size.height + 2 * edge },
      `rx="${num(0.6 * unit)}" ${attributes}`,
    )
  return {
    svg:
      border(1.4 * unit, 'fill="#000" fill-opacity="0.16"') +
      border(0.6 * unit, 'fill="#000" fill-opacity="0.2"') +
      border(0, 'fill="#fbfaf7"') +
      rect(at, size, 'fill="#e7e4dd"') +
      imageAt(at, size, `href="${href(picture)}"`),
  }
}

/** Fills the frame; where the film starts. */
export function filling({ width, height }: Canvas, picture: Picture): Layer {
  const attributes = `preserveAspectRatio="xMidYMid slice" href="${href(picture)}"`
  return {
    // A ground for pictures that are transparent somewhere.
    svg:
      rect({ x: 0, y: 0 }, { width, height }, 'fill="#e7e4dd"') +
      imageAt({ x: 0, y: 0 }, { width, height }, attributes),
    motion: { grow: 0.025 },
  }
}

const imageAt = (
  { x, y }: { x: number; y: number },
  { width, height }: { width: number; height: number },
  attributes: string,
) => `<image x="${x}" y="${y}" width="${width}" height="${height}" ${attributes}/>`

/** Specks of light that float before the scene. */
export function motes({ width, height, unit, random, subject }: Canvas): Layer[] {
  const { light, accent } = subject.palette
  return [0, 1, 2].map((i) => {
    const id = `mote${i}`
    const spots = Array.from({ length: 12 }, () => {
      const at = { x: random.between(0, width), y: random.between(0, height) }
      return circle(at, unit * random.between(0.8, 3), `fill="url(#${id})"`)
    })
    return {
      svg: `<defs>${glow(id, mix(light, accent, i * 0.25), 0.55)}</defs>${spots.join('')}`,
      motion: {
        orbit: { rx: unit * 3, ry: unit * 5, turnsPerSecond: 0.08, phase: i / 3 },
        pulse: { depth: 0.7, turnsPerSecond: 0.3, phase: i / 3 },
      },
    }
  })
}

/** Darkens the corners, as a lens does. */
export function vignette({ width, height }: Canvas): Layer {
  const fill = radial('vignette', [
    { at: 0.55, color: '#000', opacity: 0 },
    { at: 1, color: '#000', opacity: 0.34 },
  ])
  const shape = `cx="${num(width / 2)}" cy="${num(height / 2)}" rx="${num(width * 0.78)}" ry="${num(height * 0.78)}"`
  return { svg: `<defs>${fill}</defs><ellipse ${shape} fill="url(#vignette)"/>` }
}
