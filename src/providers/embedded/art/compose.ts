// Turns a prompt into a scene. Promises that the same words always give the same picture, that
// what it shows was named in them, and that the words themselves can be read in it.
import { caption, mark } from './caption.ts'
import { city } from './city.ts'
import { landscape, sea } from './nature.ts'
import { fillFrame, hangOnWall, type Picture } from './picture.ts'
import { poster } from './poster.ts'
import { seededRandom } from './random.ts'
import { type Canvas, type Layer, longSide } from './scene.ts'
import { weather } from './sky.ts'
import { readSubject } from './subject.ts'
import { circle, glow, num, radial, rect, type Size } from './svg.ts'
import { drawThing } from './things.ts'
import { printable } from './type.ts'

const places = { landscape, sea, city }

export type Scene = Size & { layers: Layer[] }

export type Wish = {
  prompt: string
  /** Width divided by height. */
  aspect: number
  finish: 'plain' | 'rich'
  /** Hangs on a wall. */
  framed?: Picture | undefined
  /** Takes the whole frame. */
  filling?: Picture | undefined
}

export function composeScene(wish: Wish): Scene {
  const { prompt, aspect } = wish
  const random = seededRandom(prompt)
  const subject = readSubject(prompt, random)
  const width = Math.min(longSide, longSide * aspect)
  const height = Math.min(longSide, longSide / aspect)
  const [unit, sunX] = [Math.min(width, height) / 100, width * random.between(0.25, 0.75)]
  const canvas: Canvas = { width, height, unit, sunX, random, subject }
  const finish = wish.finish === 'rich' ? richFinish(canvas) : ''
  return { width, height, layers: [...motif(canvas, wish), finish, mark(canvas)] }
}

function motif(canvas: Canvas, { prompt, framed, filling }: Wish): Layer[] {
  const { place, things } = canvas.subject
  const words = printable(prompt)
  if (filling) return [...fillFrame(canvas, filling), caption(canvas, words)]
  if (framed) return [...hangOnWall(canvas, framed), caption(canvas, words)]
  if (place === 'poster') return poster(canvas, words)
  const drawn = things.map((name, index) => drawThing(canvas, name, index))
  return [...places[place](canvas), ...drawn, ...weather(canvas), caption(canvas, words)]
}

/** Light that falls in from above, and corners as dark as a lens makes them. */
function richFinish({ width, height, unit, sunX, subject }: Canvas): string {
  const wider = { x: -0.28 * width, y: -0.28 * height, width: 1.56 * width, height: 1.56 * height }
  return (
    glow('shine', subject.palette.light, 0.5) +
    circle({ x: sunX, y: 0 }, 90 * unit, 'url(#shine)') +
    radial('vignette', [0.45, '#000', 0], [1, '#000', 0.5]) +
    rect(wider, 'url(#vignette)')
  )
}

/** The scene after so many seconds, as one SVG document of the given size in pixels. */
export function sceneAt(layers: readonly Layer[], view: Size, size: Size, seconds: number): string {
  const drawn = layers.map((layer) => (typeof layer === 'string' ? layer : layer(seconds)))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" viewBox="0 0 ${num(view.width)} ${num(view.height)}" preserveAspectRatio="none">${drawn.join('')}</svg>`
}
