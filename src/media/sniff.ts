/** The media types that may be stored and served, with their file extensions. */
export const mediaTypes = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'avif',
  'image/heic': 'heic',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'video/x-matroska': 'mkv',
  'audio/mp4': 'm4a',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
} as const

export type MediaType = keyof typeof mediaTypes

export class MediaTypeRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MediaTypeRefused'
  }
}

/**
 * Detects the type from the first bytes, ignoring any declared type. Returns null for content a
 * browser could execute (SVG, HTML, PDF) and for unknown content.
 */
export function sniff(head: Uint8Array): MediaType | null {
  const text = (start: number, end: number) => latin1(head, start, end)
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png'
  if (text(0, 3) === '\xff\xd8\xff') return 'image/jpeg'
  if (/^GIF8[79]a$/.test(text(0, 6))) return 'image/gif'
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'image/webp'
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WAVE') return 'audio/wav'
  if (text(0, 4) === 'OggS') return 'audio/ogg'
  if (text(4, 8) === 'ftyp') return byBrands(head)
  if (text(0, 4) === '\x1a\x45\xdf\xa3') return byDocType(text(4, 64))
  if (text(0, 3) === 'ID3' || isMp3Frame(head)) return 'audio/mpeg'
  return null
}

const latin1 = (bytes: Uint8Array, start: number, end: number) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', start, end)

const heicBrand = /^(hei[cxms]|hev[cx]|mif1|msf1)$/
const mp4Brand = /^(iso[m1-9a-c]|mp4[12]|avc1|hvc1|av01|dash|cmf[cs2f]|M4V[ HP]|MSNV|3g[p2].|f4v )$/

/** ISO base media files list their brands in the first box (ISO/IEC 14496-12 §4.3). */
function byBrands(head: Uint8Array): MediaType | null {
  const boxBytes = new DataView(head.buffer, head.byteOffset, head.byteLength).getUint32(0)
  const major = latin1(head, 8, 12)
  const brands = [major]
  const end = Math.min(boxBytes, head.length, 512)
  for (let at = 16; at + 4 <= end; at += 4) brands.push(latin1(head, at, at + 4))
  if (/^avi[fs]$/.test(major)) return 'image/avif'
  if (heicBrand.test(major)) {
    return brands.some((brand) => /^avi[fs]$/.test(brand)) ? 'image/avif' : 'image/heic'
  }
  if (major === 'qt  ') return 'video/quicktime'
  if (/^M4[AB] $/.test(major)) return 'audio/mp4'
  return brands.some((brand) => mp4Brand.test(brand)) ? 'video/mp4' : null
}

/** The DocType element of EBML: identifier 42 82, its length, then the name. */
function byDocType(header: string): MediaType | null {
  const name = /\x42\x82[\x81-\x8f](webm|matroska)/.exec(header)?.[1]
  if (name === 'webm') return 'video/webm'
  return name === 'matroska' ? 'video/x-matroska' : null
}

/** An MP3 frame header: eleven set bits, layer III, a valid bitrate and a valid sample rate. */
function isMp3Frame(head: Uint8Array): boolean {
  const [first = 0, second = 0, third = 0] = head
  const version = (second >> 3) & 3
  const layer = (second >> 1) & 3
  const bitrate = third >> 4
  return (
    first === 0xff &&
    second >> 5 === 7 &&
    version !== 1 &&
    layer === 1 &&
    bitrate !== 15 &&
    bitrate !== 0 &&
    ((third >> 2) & 3) !== 3
  )
}
