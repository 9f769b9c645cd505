// Turns a prompt into a scene: the same words always give the same picture, and the words that
// name a place, a mood, a colour or a thing are seen in it. Never reads anything but its input.

import { caption, mark } from './caption.ts'
import { filling, framed, motes, type Picture, vignette } from './finish.ts'
import { addMotifs } from './motifs.ts'
import { seededRandom } from './random.ts'
import { type Canvas, type Layer, longSide, type Style } from './scene.ts'
import { bloom } from './styles/bloom.ts'
import { city } from './styles/city.ts'
import { facets } from './styles/facets.ts'
import { hills } from './styles/hills.ts'
import { ribbons } from './styles/ribbons.ts'
import { ridges } from './styles/ridges.ts'
import { sea } from './styles/sea.ts'
import { space } from './styles/space.ts'
import { tiles } from './styles/tiles.ts'
import { woods } from './styles/woods.ts'
import { readSubject, type StyleName } from './subject.ts'
import { svgDocument } from './svg.ts'
import { weather } from './weather.ts'

const styles: Record<StyleName, Style> = {
  hills,
  sea,
  city,
  woods,
  space,
  tiles,
  facets,
  ridges,
  bloom,
  ribbons,
}

export type Scene = { width: number; height: number; layers: Layer[] }

export type Wish = {
  prompt: string
  /** Width divided by height. */
  aspect: number
  finish: 'plain' | 'rich'
  picture?: { use: 'framed' | 'filling'; picture: Picture }
}

export function composeScene({ prompt, aspect, finish, picture: given }: Wish): Scene {
  const random = seededRandom(prompt)
  const subject = readSubject(prompt, random)
  const width = aspect >= 1 ? longSide : longSide * aspect
  const height = aspect >= 1 ? longSide / aspect : longSide
  const canvas: Canvas = { width, height, unit: Math.min(width, height) / 100, random, subject }
  const scene = () => addMotifs(canvas, styles[subject.style](canvas))
  const ground = given?.use === 'filling' ? [filling(canvas, given.picture)] : scene()
  const rich = finish === 'rich' || given?.use === 'filling'
  const layers = [
    ...ground,
    ...weather(canvas),
    ...(rich ? [vignette(canvas), ...motes(canvas)] : []),
    ...(given?.use === 'framed' ? [framed(canvas, given.picture)] : []),
    ...caption(canvas, prompt, subject.palette.accent),
    mark(canvas),
  ]
  return { width, height, layers }
}

/** The whole scene at its start, as one SVG document of the given size in pixels. */
export function stillOf(scene: Scene, size: { width: number; height: number }): string {
  const body = scene.layers.map(({ svg }) => svg).join('')
  const view = { x: 0, y: 0, width: scene.width, height: scene.height }
  return svgDocument(body, size, view)
}
