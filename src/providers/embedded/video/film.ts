// Turns a scene into frames. What never moves is drawn once, behind and before what does; memory
// depends on the size of the frame, not on the length of the film. Never encodes.
import { setImmediate as nextTick } from 'node:timers/promises'
import { type Scene, sceneAt } from '../art/compose.ts'
import type { Layer } from '../art/scene.ts'
import type { Size } from '../art/svg.ts'
import { renderPixels } from '../render.ts'
import { layOver, toYuv } from './yuv.ts'

/**
 * Calls `onFrame` with each frame in turn, as planar YUV. The bytes are reused for the next one.
 * Both sides of `size` are even.
 */
export async function shootFilm(
  scene: Scene,
  size: Size,
  { seconds, framesPerSecond }: { seconds: number; framesPerSecond: number },
  onFrame: (yuv: Uint8Array) => void,
): Promise<void> {
  const { layers } = scene
  const isMoving = (layer: Layer) => typeof layer !== 'string'
  const first = layers.findIndex(isMoving)
  const last = layers.findLastIndex(isMoving)
  const draw = (part: readonly Layer[], at: number) => renderPixels(sceneAt(part, scene, size, at))
  const ground = draw(layers.slice(0, first), 0)
  const cover = draw(layers.slice(last + 1), 0)
  const moving = layers.slice(first, last + 1)
  const frame = new Uint8Array(ground.length)
  const yuv = new Uint8Array((size.width * size.height * 3) / 2)
  for (let count = 0; count < seconds * framesPerSecond; count++) {
    frame.set(ground)
    layOver(frame, draw(moving, count / framesPerSecond))
    layOver(frame, cover)
    toYuv(frame, size, yuv)
    onFrame(yuv)
    // The renderer's memory is freed between two ticks only: without this one a film of ten
    // seconds would hold every frame it ever drew.
    await nextTick()
  }
}
