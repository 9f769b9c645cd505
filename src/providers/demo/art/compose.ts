// Turns a prompt into a scene. Promises that the same words always give the same picture, that it
// shows only motifs that they name, and that the words themselves can be read in it.
import { type Canvas, circle, glow, type Layer, num, radial, rect, type Size } from './canvas.ts'
import { mix } from './palette.ts'
import { fillFrame, hangOnWall, type Picture } from './picture.ts'
import { city, landscape, sea } from './places.ts'
import { poster } from './poster.ts'
import { seededRandom } from './random.ts'
import { weather } from './sky.ts'
import { readSubject } from './subject.ts'
import { drawThing } from './things.ts'
import { caption, mark, printable } from './type.ts'

const places = { landscape, sea, city }

export type Wish = {
  prompt: string
  /** Width divided by height. */
  aspect: number
  finish: 'plain' | 'rich'
  /** A given picture, which hangs on a wall (`framed`) or fills the frame (`filling`). */
  framed?: Picture | undefined
  filling?: Picture | undefined
}

/** The longer side of every drawing; the size in pixels is chosen later. */
const longSide = 1000

export function composeScene(wish: Wish): Size & { layers: Layer[] } {
  const random = seededRandom(wish.prompt)
  const subject = readSubject(wish.prompt, random)
  const width = Math.min(longSide, longSide * wish.aspect)
  const height = Math.min(longSide, longSide / wish.aspect)
  const [unit, sunX] = [Math.min(width, height) / 100, width * random.between(0.25, 0.75)]
  const canvas: Canvas = { width, height, unit, sunX, random, subject }
  const words = printable(wish.prompt)
  const finish = wish.finish === 'rich' ? richFinish(canvas) : ''
  const shown = motif(canvas, wish)
  const layers = shown
    ? [...shown, finish, caption(canvas, words)]
    : [...poster(canvas, words), finish]
  return { width, height, layers: [...layers, mark(canvas)] }
}

/** Undefined if there is nothing to show but the words. */
function motif(canvas: Canvas, { framed, filling }: Wish): Layer[] | undefined {
  const { place, things } = canvas.subject
  if (filling) return fillFrame(canvas, filling)
  if (framed) return hangOnWall(canvas, framed)
  if (place === 'poster') return undefined
  const drawn = things.map((name, index) => drawThing(canvas, name, index))
  return [...places[place](canvas), ...drawn, ...weather(canvas)]
}

/** Light from above, and corners darkened as by a lens. */
function richFinish({ width, height, unit, sunX, subject }: Canvas): string {
  const { light, near } = subject.palette
  const shade = mix(near, '#000000', 0.4)
  const wider = { x: -0.28 * width, y: -0.28 * height, width: 1.56 * width, height: 1.56 * height }
  const shine = glow('shine', light, 0.5) + circle({ x: sunX, y: 0 }, 90 * unit, 'url(#shine)')
  const corners = radial('vignette', [0.45, shade, 0], [1, shade, 0.5])
  return shine + corners + rect(wider, 'url(#vignette)')
}

/** The scene after so many seconds, as one SVG document of the given size in pixels. */
export function sceneAt(layers: readonly Layer[], view: Size, size: Size, seconds: number): string {
  const drawn = layers.map((layer) => (typeof layer === 'string' ? layer : layer(seconds)))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" viewBox="0 0 ${num(view.width)} ${num(view.height)}" preserveAspectRatio="none">${drawn.join('')}</svg>`
}
