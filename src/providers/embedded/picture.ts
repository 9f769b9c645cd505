/** A picture's own words about itself, as far as its first bytes tell. */
export type PictureHeader = {
  type: 'png' | 'jpeg' | 'gif' | 'webp'
  width: number
  height: number
}

/** Null for anything but a whole header of a known kind. The declared media type is not asked. */
export function readPictureHeader(bytes: Uint8Array): PictureHeader | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = (from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to))
  if (text(0, 8) === '\x89PNG\r\n\x1a\n' && bytes.length >= 24) {
    return header('png', view.getUint32(16), view.getUint32(20))
  }
  if (/^GIF8[79]a$/.test(text(0, 6)) && bytes.length >= 10) {
    return header('gif', view.getUint16(6, true), view.getUint16(8, true))
  }
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP' && bytes.length >= 30) return webp(view, text)
  if (text(0, 3) === '\xff\xd8\xff') return jpeg(view)
  return null
}

const header = (type: PictureHeader['type'], width: number, height: number) =>
  width > 0 && height > 0 ? { type, width, height } : null

function webp(view: DataView, text: (from: number, to: number) => string): PictureHeader | null {
  const chunk = text(12, 16)
  const uint24 = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
  if (chunk === 'VP8X') return header('webp', uint24(24) + 1, uint24(27) + 1)
  if (chunk === 'VP8L') {
    const bits = view.getUint32(21, true)
    return header('webp', (bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1)
  }
  const lossy = [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff] as const
  return chunk === 'VP8 ' ? header('webp', ...lossy) : null
}

/** Walks the segments to the one that starts a frame. */
function jpeg(view: DataView): PictureHeader | null {
  for (let at = 2; at + 9 <= view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return null
    const marker = view.getUint8(at + 1)
    // C4, C8 and CC lie among the frame markers but are tables and extensions.
    const frame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (frame) return header('jpeg', view.getUint16(at + 7), view.getUint16(at + 5))
    // A marker may be padded with any number of FF.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2)
  }
  return null
}
