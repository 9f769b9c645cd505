// What the first bytes of a picture say about it, without decoding it.

type Size = { width: number; height: number }
export type PictureHeader = Size & { type: 'png' | 'jpeg' | 'gif' | 'webp' }

/**
 * Null unless the bytes hold a whole header of a known type. Ignores the declared media type, and
 * never throws, whatever the bytes.
 */
export function readPictureHeader(head: Uint8Array): PictureHeader | null {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  const type = typeOf(bytes)
  if (type === null) return null
  const size = readers[type](bytes)
  return size && size.width > 0 && size.height > 0 ? { type, ...size } : null
}

function typeOf(bytes: Buffer): PictureHeader['type'] | null {
  const start = bytes.toString('latin1', 0, 12)
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (start.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (/^GIF8[79]a/.test(start)) return 'gif'
  return /^RIFF[\s\S]{4}WEBP$/.test(start) ? 'webp' : null
}

const readers: Record<PictureHeader['type'], (bytes: Buffer) => Size | null> = {
  png(bytes) {
    if (bytes.length < 24 || bytes.toString('latin1', 12, 16) !== 'IHDR') return null
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  },
  gif(bytes) {
    if (bytes.length < 10) return null
    return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  },
  webp,
  jpeg,
}

/** https://developers.google.com/speed/webp/docs/riff_container */
function webp(bytes: Buffer): Size | null {
  if (bytes.length < 30) return null
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    case 'VP8L': {
      if (bytes[20] !== 0x2f) return null
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8 ':
      if (bytes.readUIntBE(23, 3) !== 0x9d012a) return null
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    default:
      return null
  }
}

/** Walks the segments up to the frame header and gives up at the first malformed one. */
function jpeg(bytes: Buffer): Size | null {
  let at = 2
  while (at + 9 <= bytes.length) {
    if (bytes[at] !== 0xff) return null
    const marker = bytes.readUInt8(at + 1)
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (isFrameHeader(marker)) {
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    }
    const hasNoLength = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
    if (marker === 0x00 || marker === 0xd9 || marker === 0xda) return null
    at += 2 + (hasNoLength ? 0 : Math.max(2, bytes.readUInt16BE(at + 2)))
  }
  return null
}

/** The markers C0 to CF, except those for Huffman tables, arithmetic coding and extensions. */
const isFrameHeader = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
