import type { Box, Layer, Motion } from './scene.ts'

/** Where a layer is at one moment, against where it was drawn. */
type Placement = {
  dx: number
  dy: number
  scale: number
  /** Radians. */
  angle: number
  /** 0 to 1. */
  opacity: number
}

const full = 2 * Math.PI

export function placeAt(motion: Motion, seconds: number): Placement {
  const { drift, orbit, grow = 0, spin = 0, pulse } = motion
  const from = full * (orbit?.phase ?? 0)
  const now = from + full * (orbit?.turnsPerSecond ?? 0) * seconds
  const beat = pulse ? Math.sin(full * (pulse.phase + pulse.turnsPerSecond * seconds)) : 0
  return {
    dx: (drift?.x ?? 0) * seconds + (orbit?.rx ?? 0) * (Math.cos(now) - Math.cos(from)),
    dy: (drift?.y ?? 0) * seconds + (orbit?.ry ?? 0) * (Math.sin(now) - Math.sin(from)),
    scale: 1 + grow * seconds,
    angle: full * spin * seconds,
    opacity: 1 - (pulse?.depth ?? 0) * (0.5 + 0.5 * beat),
  }
}

/** All of a layer that may be seen within `seconds`. */
export function areaOf(
  { motion = {}, box }: Layer,
  frame: { width: number; height: number },
  seconds: number,
): Box {
  if (box) return box
  if (motion.wraps) return { x: 0, y: 0, ...frame }
  const x = (motion.drift?.x ?? 0) * seconds
  const y = (motion.drift?.y ?? 0) * seconds
  const swayX = 2 * Math.abs(motion.orbit?.rx ?? 0)
  const swayY = 2 * Math.abs(motion.orbit?.ry ?? 0)
  const left = Math.max(0, x) + swayX
  const top = Math.max(0, y) + swayY
  return {
    x: 0 - left,
    y: 0 - top,
    width: frame.width + left + Math.max(0, -x) + swayX,
    height: frame.height + top + Math.max(0, -y) + swayY,
  }
}
