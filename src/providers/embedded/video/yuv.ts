// The encoder takes planes of luma and chroma, the latter at half the size. The conversion is our
// own because the encoder's knows one colour matrix only.
import type { Size } from '../art/svg.ts'

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

/** Shares of red and blue in luma. Players decide by the height: BT.601 below 720 lines. */
const sharesFor = (height: number) =>
  height < 720 ? { red: 0.299, blue: 0.114 } : { red: 0.2126, blue: 0.0722 }

/** From RGBA to planes in studio range; both sides are even. */
export function toYuv(rgba: Uint8Array, { width, height }: Size, yuv: Uint8Array): void {
  const { red, blue } = sharesFor(height)
  const green = 1 - red - blue
  const pixels = width * height
  for (let at = 0, i = 0; at < pixels; at++, i += 4) {
    const luma = red * (rgba[i] ?? 0) + green * (rgba[i + 1] ?? 0) + blue * (rgba[i + 2] ?? 0)
    yuv[at] = 16.5 + luma * (219 / 255)
  }
  const toBlue = 224 / 255 / (2 * (1 - blue)) / 4
  const toRed = 224 / 255 / (2 * (1 - red)) / 4
  const row = width * 4
  const sumAt = (i: number) =>
    (rgba[i] ?? 0) + (rgba[i + 4] ?? 0) + (rgba[i + row] ?? 0) + (rgba[i + row + 4] ?? 0)
  let at = pixels
  for (let y = 0; y < height; y += 2) {
    for (let i = y * row, end = i + row; i < end; i += 8, at++) {
      const r = sumAt(i)
      const b = sumAt(i + 2)
      const luma = red * r + green * sumAt(i + 1) + blue * b
      yuv[at] = 128.5 + (b - luma) * toBlue
      yuv[at + pixels / 4] = 128.5 + (r - luma) * toRed
    }
  }
}
