// Films are composed in the encoder's own colour space: half the bytes of RGBA, and nothing left
// to convert for each frame.

/**
 * One channel of a layer. Each sample holds value and coverage, `value << 8 | alpha`, the value
 * already multiplied by the coverage.
 */
export type Plane = { width: number; height: number; samples: Uint16Array }

export type Planes = { luma: Plane; blue: Plane; red: Plane }

/** Rows of Y, U and V for premultiplied r, g, b and alpha, studio range. */
type Matrix = readonly [y: Row, u: Row, v: Row]
type Row = readonly [r: number, g: number, b: number, offset: number]

function matrixOf(kr: number, kb: number): Matrix {
  const kg = 1 - kr - kb
  const y = 219 / 255
  const u = 224 / 255 / (2 * (1 - kb))
  const v = 224 / 255 / (2 * (1 - kr))
  return [
    [y * kr, y * kg, y * kb, 16],
    [-u * kr, -u * kg, u * (1 - kb), 128],
    [v * (1 - kr), -v * kg, -v * kb, 128],
  ]
}

/** The stream does not say which, and players decide by its height: BT.601 below 720 lines. */
export const matrixFor = (height: number): Matrix =>
  height < 720 ? matrixOf(0.299, 0.114) : matrixOf(0.2126, 0.0722)

/** `pixels` is premultiplied RGBA; width and height are even. */
export function toPlanes(
  pixels: Uint8Array,
  { width, height }: { width: number; height: number },
  [luma, blue, red]: Matrix,
): Planes {
  const half = { width: width / 2, height: height / 2 }
  const y = new Uint16Array(width * height)
  const u = new Uint16Array(half.width * half.height)
  const v = new Uint16Array(half.width * half.height)
  for (let i = 0; i < y.length; i++) {
    const at = i * 4
    const alpha = pixels[at + 3] ?? 0
    if (alpha === 0) continue
    y[i] = pack(luma, pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0, alpha)
  }
  for (let row = 0; row < half.height; row++) {
    for (let column = 0; column < half.width; column++) {
      const at = (row * 2 * width + column * 2) * 4
      const mean = (channel: number) =>
        ((pixels[at + channel] ?? 0) +
          (pixels[at + 4 + channel] ?? 0) +
          (pixels[at + width * 4 + channel] ?? 0) +
          (pixels[at + width * 4 + 4 + channel] ?? 0)) /
        4
      const alpha = mean(3)
      if (alpha === 0) continue
      const [r, g, b] = [mean(0), mean(1), mean(2)]
      u[row * half.width + column] = pack(blue, r, g, b, alpha)
      v[row * half.width + column] = pack(red, r, g, b, alpha)
    }
  }
  return {
    luma: { width, height, samples: y },
    blue: { ...half, samples: u },
    red: { ...half, samples: v },
  }
}

function pack([kr, kg, kb, offset]: Row, r: number, g: number, b: number, alpha: number): number {
  const value = kr * r + kg * g + kb * b + (offset * alpha) / 255
  const coverage = Math.round(alpha)
  return (Math.min(Math.max(Math.round(value), 0), coverage) << 8) | coverage
}

/** The smallest even-edged area that holds everything visible, one clear pixel around it. */
export function visibleArea(
  pixels: Uint8Array,
  { width, height }: { width: number; height: number },
): { left: number; top: number; width: number; height: number } {
  const words = new Uint32Array(pixels.buffer, pixels.byteOffset, width * height)
  let [left, right, top, bottom] = [width, -1, height, -1]
  for (let y = 0; y < height; y++) {
    const row = y * width
    let x = 0
    while (x < width && words[row + x] === 0) x++
    if (x === width) continue
    let last = width - 1
    while (words[row + last] === 0) last--
    left = Math.min(left, x)
    right = Math.max(right, last)
    top = Math.min(top, y)
    bottom = y
  }
  if (right < 0) return { left: 0, top: 0, width: 0, height: 0 }
  left = Math.max(0, left - 1) & ~1
  top = Math.max(0, top - 1) & ~1
  return {
    left,
    top,
    width: Math.min(width, (right + 3) & ~1) - left,
    height: Math.min(height, (bottom + 3) & ~1) - top,
  }
}
