/** A `data:` URL that cannot be used. The message is written for the caller of the API. */
export class DataUrlError extends Error {
  readonly kind: 'malformed' | 'too_large'

  constructor(kind: 'malformed' | 'too_large', message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'DataUrlError'
    this.kind = kind
  }
}

export type DataUrl = { mimeType: string; bytes: Uint8Array }

const defaultMaxBytes = 10 * 1024 * 1024
const maxHeaderChars = 256
const percentSign = 0x25
const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/

/**
 * Parses `data:[type][;parameters][;base64],payload` (RFC 2397). The decoded size is computed
 * before anything is decoded, so an oversized payload costs no memory beyond its own text.
 */
export function parseDataUrl(text: string, maxBytes: number = defaultMaxBytes): DataUrl {
  const comma = text.slice(0, maxHeaderChars).indexOf(',')
  if (!/^data:/i.test(text) || comma === -1) {
    throw new DataUrlError('malformed', 'Not a data: URL of the form data:type;base64,payload.')
  }
  const [type = '', ...parameters] = text
    .slice('data:'.length, comma)
    .split(';')
    .map((parameter) => parameter.trim().toLowerCase())
  const mimeType = type === '' ? 'text/plain' : type
  if (!mediaType.test(mimeType)) {
    throw new DataUrlError('malformed', 'The data: URL has no valid media type.')
  }
  const payload = text.slice(comma + 1)
  const bytes =
    parameters.at(-1) === 'base64'
      ? decodeBase64(payload, maxBytes)
      : decodePercent(payload, maxBytes)
  return { mimeType, bytes }
}

function decodeBase64(payload: string, maxBytes: number): Uint8Array {
  // Base64 needs 4/3 of the bytes it encodes; the factor of 2 leaves room for line breaks.
  const text = payload.includes('%')
    ? Buffer.from(decodePercent(payload, 2 * maxBytes)).toString('latin1')
    : payload
  const compact = text.replace(/[\t\n\f\r ]+/g, '')
  const padding = compact.endsWith('==') ? 2 : Number(compact.endsWith('='))
  refuseAbove(maxBytes, Math.floor(((compact.length - padding) * 3) / 4))
  try {
    return Uint8Array.fromBase64(compact)
  } catch (cause) {
    throw new DataUrlError('malformed', 'The payload of the data: URL is not base64.', cause)
  }
}

function decodePercent(payload: string, maxBytes: number): Uint8Array {
  const size = Buffer.byteLength(payload) - 2 * countEscapes(payload)
  refuseAbove(maxBytes, size)
  const source = Buffer.from(payload)
  const bytes = new Uint8Array(size)
  let at = 0
  for (let to = 0; to < size; to++) {
    const byte = source[at] ?? 0
    const isEscape = byte === percentSign
    bytes[to] = isEscape ? hexDigit(source[at + 1]) * 16 + hexDigit(source[at + 2]) : byte
    at += isEscape ? 3 : 1
  }
  return bytes
}

function countEscapes(text: string): number {
  let count = 0
  for (let at = text.indexOf('%'); at !== -1; at = text.indexOf('%', at + 3), count++) {
    if (hexDigit(text.charCodeAt(at + 1)) < 0 || hexDigit(text.charCodeAt(at + 2)) < 0) {
      throw new DataUrlError('malformed', 'The data: URL has a "%" without two hex digits.')
    }
  }
  return count
}

/** The value of an ASCII hex digit, or a negative number. */
function hexDigit(code = 0): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

function refuseAbove(maxBytes: number, size: number): void {
  if (size > maxBytes) {
    throw new DataUrlError('too_large', `The data: URL contains more than ${maxBytes} bytes.`)
  }
}
