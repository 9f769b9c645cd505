// Turns a scene into frames. What never moves is drawn once, behind and before what does; memory
// depends on the size of the frame, not on the length of the film. Never encodes.
import { setImmediate as nextTick } from 'node:timers/promises'
import { type Scene, sceneAt } from '../art/compose.ts'
import type { Layer } from '../art/scene.ts'
import type { Size } from '../art/svg.ts'
import { renderPixels } from '../render.ts'
import { framesPerSecond } from './mp4.ts'

/** Each frame in turn, as RGBA. The bytes are reused for the next one. */
export async function* shootFilm(scene: Scene, size: Size, seconds: number) {
  const { layers } = scene
  const isMoving = (layer: Layer) => typeof layer !== 'string'
  const first = layers.findIndex(isMoving)
  const last = layers.findLastIndex(isMoving)
  const draw = (part: readonly Layer[], at: number) => renderPixels(sceneAt(part, scene, size, at))
  const ground = draw(layers.slice(0, first), 0)
  const cover = draw(layers.slice(last + 1), 0)
  const frame = new Uint8Array(ground.length)
  for (let count = 0; count < seconds * framesPerSecond; count++) {
    frame.set(ground)
    layOver(frame, draw(layers.slice(first, last + 1), count / framesPerSecond))
    layOver(frame, cover)
    yield frame
    // The renderer's memory is freed between two ticks only: without this one a film of ten
    // seconds would hold every frame it ever drew.
    await nextTick()
  }
}

/** Lays premultiplied RGBA over pixels without gaps. */
export function layOver(under: Uint8Array, above: Uint8Array): void {
  const words = new Uint32Array(above.buffer, above.byteOffset, above.length / 4)
  for (let word = 0; word < words.length; word++) {
    if (words[word] === 0) continue
    const i = word * 4
    const clear = 255 - (above[i + 3] ?? 0)
    // 257 / 65536 is 1/255, close enough to be exact for bytes.
    for (let c = i; c < i + 3; c++) {
      under[c] = (above[c] ?? 0) + (((under[c] ?? 0) * clear * 257 + 32768) >>> 16)
    }
  }
}
