import type { Plane } from './planes.ts'

/** What the encoder takes: one byte per sample, row by row. */
export type Surface = { width: number; height: number; bytes: Uint8Array }

/** From a point of the surface to one of the plane: u = a·x + b·y + tx, v = -b·x + a·y + ty. */
export type Mapping = { a: number; b: number; tx: number; ty: number }

/**
 * Lays a plane over a surface, between pixels where it has to be. `opacity` is 0 to 256.
 * Value and coverage travel in one number, 16 bits apart, so that one multiplication does both.
 */
export function drawPlane(to: Surface, from: Plane, map: Mapping, opacity: number): void {
  const { a, b, tx, ty } = map
  const straight = a === 1 && b === 0
  for (let y = 0; y < to.height; y++) {
    // Pixel centres lie half a pixel in.
    const u = a * 0.5 + b * (y + 0.5) + tx - 0.5
    const v = -b * 0.5 + a * (y + 0.5) + ty - 0.5
    const [x0, x1] = clip(clip([0, to.width - 1], u, a, from.width - 1), v, -b, from.height - 1)
    if (x0 > x1) continue
    const start = { u: fixed(u + a * x0), v: fixed(v - b * x0), at: y * to.width + x0 }
    if (straight) drawStraight(to.bytes, from, start, x1 - x0 + 1, opacity)
    else
      drawTurned(to.bytes, from, start, {
        du: fixed(a),
        dv: fixed(-b),
        count: x1 - x0 + 1,
        opacity,
      })
  }
}

const fixed = (value: number) => Math.round(value * 65536)

/** The x within the given range for which 0 ≤ start + step·x ≤ limit. */
function clip(
  [from, to]: [number, number],
  start: number,
  step: number,
  limit: number,
): [number, number] {
  if (Math.abs(step) < 1e-9) return start >= 0 && start <= limit ? [from, to] : [1, 0]
  const [p, q] = [-start / step, (limit - start) / step]
  return [Math.max(from, Math.ceil(Math.min(p, q))), Math.min(to, Math.floor(Math.max(p, q)))]
}

type Start = { u: number; v: number; at: number }

/** No turn, no zoom: the same weights for every pixel, so that each column is blended once. */
function drawStraight(
  bytes: Uint8Array,
  { samples, width }: Plane,
  { u, v, at }: Start,
  count: number,
  opacity: number,
): void {
  const fu = (u >> 8) & 255
  const fv = (v >> 8) & 255
  let index = (v >> 16) * width + (u >> 16)
  let left = column(samples, index, width, fv)
  for (const end = at + count; at < end; at++) {
    index++
    const right = column(samples, index, width, fv)
    if ((left | right) !== 0) {
      const sample = fu === 0 ? left : blend(left, right, fu)
      lay(bytes, at, opacity === 256 ? sample : fade(sample, opacity))
    }
    left = right
  }
}

function column(samples: Uint16Array, index: number, width: number, fv: number): number {
  const upper = samples[index] ?? 0
  if (fv === 0) return spread(upper)
  const lower = samples[index + width] ?? 0
  return upper === lower ? spread(upper) : blend(spread(upper), spread(lower), fv)
}

function drawTurned(
  bytes: Uint8Array,
  { samples, width }: Plane,
  start: Start,
  { du, dv, count, opacity }: { du: number; dv: number; count: number; opacity: number },
): void {
  let { u, v, at } = start
  for (const end = at + count; at < end; at++, u += du, v += dv) {
    const index = (v >> 16) * width + (u >> 16)
    const p = samples[index] ?? 0
    const q = samples[index + 1] ?? 0
    const r = samples[index + width] ?? 0
    const s = samples[index + width + 1] ?? 0
    if ((p | q | r | s) === 0) continue
    const fu = (u >> 8) & 255
    const top = blend(spread(p), spread(q), fu)
    const sample = blend(top, blend(spread(r), spread(s), fu), (v >> 8) & 255)
    lay(bytes, at, opacity === 256 ? sample : fade(sample, opacity))
  }
}

/** `value << 8 | alpha` to `value << 16 | alpha`. */
const spread = (sample: number) => (sample | (sample << 8)) & 0xff00ff

const blend = (a: number, b: number, share: number) =>
  ((Math.imul(a, 256 - share) + Math.imul(b, share)) >>> 8) & 0xff00ff

const fade = (sample: number, opacity: number) => (Math.imul(sample, opacity) >>> 8) & 0xff00ff

function lay(bytes: Uint8Array, at: number, sample: number): void {
  const clear = 255 - (sample & 255)
  if (clear === 0) {
    bytes[at] = sample >>> 16
    return
  }
  // 257 / 65536 is 1/255, close enough to be exact for bytes.
  bytes[at] = (sample >>> 16) + (((bytes[at] ?? 0) * clear * 257 + 32768) >>> 16)
}
