// Turns a prompt into a scene. Promises that the same words always give the same picture, that
// what it shows was named in them, and that the words themselves can be read in it.
import { caption, mark } from './caption.ts'
import { filling, framed, type Picture, richFinish, weather } from './finish.ts'
import { city } from './places/city.ts'
import { landscape } from './places/landscape.ts'
import { room } from './places/room.ts'
import { sea } from './places/sea.ts'
import { poster } from './poster.ts'
import { seededRandom } from './random.ts'
import { type Canvas, drawAt, type Layer, longSide } from './scene.ts'
import { type Place, readSubject } from './subject.ts'
import { type Size, svgDocument } from './svg.ts'
import { withThings } from './things.ts'
import { printable } from './type.ts'

const places: Record<Exclude<Place, 'poster'>, (canvas: Canvas) => Layer[]> = {
  landscape,
  sea,
  city,
  room,
}

export type Scene = Size & { layers: Layer[] }

export type Wish = {
  prompt: string
  /** Width divided by height. */
  aspect: number
  finish: 'plain' | 'rich'
  /** Framed on a wall, or filling the whole picture. */
  picture?: { use: 'framed' | 'filling'; picture: Picture }
}

export function composeScene({ prompt, aspect, finish, picture: given }: Wish): Scene {
  const random = seededRandom(prompt)
  const subject = readSubject(prompt, random)
  const width = aspect >= 1 ? longSide : longSide * aspect
  const height = aspect >= 1 ? longSide / aspect : longSide
  const canvas: Canvas = { width, height, unit: Math.min(width, height) / 100, random, subject }
  const isPoster = !given && subject.place === 'poster'
  const scene = () => {
    if (given?.use === 'filling') return filling(canvas, given.picture)
    if (given) return [...room(canvas), framed(canvas, given.picture)]
    if (subject.place === 'poster') return poster(canvas, printable(prompt))
    return withThings(canvas, places[subject.place](canvas))
  }
  const isOutdoors = !['room', 'poster'].includes(subject.place) && given?.use !== 'framed'
  return {
    width,
    height,
    layers: [
      ...scene(),
      ...(isOutdoors ? weather(canvas) : []),
      ...(finish === 'rich' ? richFinish(canvas) : []),
      (isPoster ? '' : caption(canvas, printable(prompt))) + mark(canvas),
    ],
  }
}

/** The scene after so many seconds, as one SVG document of the given size in pixels. */
export const sceneAt = (
  layers: readonly Layer[],
  view: Size,
  size: Size,
  seconds: number,
): string => svgDocument(layers.map((layer) => drawAt(layer, seconds)).join(''), size, view)
