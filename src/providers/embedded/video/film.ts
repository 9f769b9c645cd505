// Turns a scene into frames. Promises that each layer is drawn once and then only moved, and that
// memory depends on the size of the frame, not on the length of the film. Never encodes.
import type { Scene } from '../art/compose.ts'
import { areaOf, placeAt } from '../art/motion.ts'
import type { Layer, Motion } from '../art/scene.ts'
import { svgDocument } from '../art/svg.ts'
import { renderPixels } from '../render.ts'
import { drawPlane, type Mapping, type Surface } from './draw.ts'
import { matrixFor, type Planes, toPlanes, visibleArea } from './planes.ts'

/** Even on both sides. */
export type Size = { width: number; height: number }

/** A layer drawn once, ready to be moved; `left` and `top` tell where in the frame, in pixels. */
type Sheet = { planes: Planes; left: number; top: number; motion: Motion }

const still: Motion = {}

/**
 * Calls `onFrame` with each frame in turn, as planar YUV. The bytes are reused for the next one,
 * so that memory does not grow with the length of the film.
 */
export function shootFilm(
  scene: Scene,
  size: Size,
  { seconds, framesPerSecond }: { seconds: number; framesPerSecond: number },
  onFrame: (yuv: Uint8Array) => void,
): void {
  const sheets = joinStill(scene.layers).flatMap((layer) => develop(scene, layer, size, seconds))
  const bytes = new Uint8Array((size.width * size.height * 3) / 2)
  const ground = bytes.slice()
  // What never moves and lies below all that does is laid once.
  const moving = sheets.findIndex(({ motion }) => motion !== still)
  const fixed = moving < 0 ? sheets.length : moving
  for (const sheet of sheets.slice(0, fixed)) lay(ground, size, sheet, 0, scene)
  for (let frame = 0; frame < seconds * framesPerSecond; frame++) {
    bytes.set(ground)
    for (const sheet of sheets.slice(fixed)) {
      lay(bytes, size, sheet, frame / framesPerSecond, scene)
    }
    onFrame(bytes)
  }
}

/** Neighbours that do not move become one layer. */
function joinStill(layers: readonly Layer[]): Layer[] {
  const joined: Layer[] = []
  for (const layer of layers) {
    const last = joined.at(-1)
    if (last && !last.motion && !layer.motion)
      joined[joined.length - 1] = { svg: last.svg + layer.svg }
    else joined.push(layer)
  }
  return joined
}

function develop(scene: Scene, layer: Layer, size: Size, seconds: number): Sheet[] {
  const scale = size.width / scene.width
  const area = areaOf(layer, scene, seconds)
  const left = Math.floor((area.x * scale) / 2) * 2
  const top = Math.floor((area.y * scale) / 2) * 2
  const even = (value: number) => Math.max(2, Math.ceil(value / 2) * 2)
  const sheet = {
    width: even((area.x + area.width) * scale - left),
    height: even((area.y + area.height) * scale - top),
  }
  const view = {
    x: left / scale,
    y: top / scale,
    width: sheet.width / scale,
    height: sheet.height / scale,
  }
  const pixels = renderPixels(svgDocument(layer.svg, sheet, view))
  const seen = visibleArea(pixels, sheet)
  if (seen.width === 0) return []
  const planes = toPlanes(crop(pixels, sheet.width, seen), seen, matrixFor(size.height))
  const motion = layer.motion ?? still
  return [{ planes, left: left + seen.left, top: top + seen.top, motion }]
}

function crop(pixels: Uint8Array, width: number, area: Size & { left: number; top: number }) {
  const cut = new Uint8Array(area.width * area.height * 4)
  for (let row = 0; row < area.height; row++) {
    const from = ((area.top + row) * width + area.left) * 4
    cut.set(pixels.subarray(from, from + area.width * 4), row * area.width * 4)
  }
  return cut
}

function lay(bytes: Uint8Array, size: Size, sheet: Sheet, seconds: number, scene: Scene): void {
  const { planes, motion } = sheet
  const place = placeAt(motion, seconds)
  const opacity = Math.round(place.opacity * 256)
  if (opacity <= 0) return
  const scale = size.width / scene.width
  const dx = place.dx * scale
  const dy = place.dy * scale
  const pivot = {
    x: (motion.pivot?.x ?? scene.width / 2) * scale,
    y: (motion.pivot?.y ?? scene.height / 2) * scale,
  }
  const a = Math.cos(place.angle) / place.scale
  const b = Math.sin(place.angle) / place.scale
  for (const y of motion.wraps ? [dy % size.height, (dy % size.height) - size.height] : [dy]) {
    const map = {
      a,
      b,
      tx: pivot.x - sheet.left - a * (pivot.x + dx) - b * (pivot.y + y),
      ty: pivot.y - sheet.top + b * (pivot.x + dx) - a * (pivot.y + y),
    }
    drawPlanes(bytes, size, planes, map, opacity)
  }
}

function drawPlanes(bytes: Uint8Array, size: Size, planes: Planes, map: Mapping, opacity: number) {
  const half = { width: size.width / 2, height: size.height / 2 }
  const whole = size.width * size.height
  const quarter = whole / 4
  const halved = { ...map, tx: map.tx / 2, ty: map.ty / 2 }
  const surface = (at: Size, from: number, length: number): Surface => ({
    ...at,
    bytes: bytes.subarray(from, from + length),
  })
  drawPlane(surface(size, 0, whole), planes.luma, map, opacity)
  drawPlane(surface(half, whole, quarter), planes.blue, halved, opacity)
  drawPlane(surface(half, whole + quarter, quarter), planes.red, halved, opacity)
}
