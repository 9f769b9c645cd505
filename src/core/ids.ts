import { randomFillSync } from 'node:crypto'

// A system call for 16 random bytes costs as much as one for thousands, so they are drawn in bulk.
const pool = Buffer.alloc(16 * 256)
let used = pool.length

// The text is assembled in a buffer, which yields a flat string. V8 serialises those to JSON twice
// as fast as concatenated ones.
const text = Buffer.alloc(36, '-')
const digits = Buffer.from('0123456789abcdef')
/** The position in the text of the two digits of each byte. */
const positions = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]

/** Returns the offset of 16 unused bytes in the pool. */
function freshBytes(): number {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += 16
  return used - 16
}

/** UUID version 7 (RFC 9562). It starts with the time, so new rows are adjacent in an index. */
export function uuidV7(nowMs: number): string {
  const at = freshBytes()
  pool.writeUIntBE(nowMs, at, 6)
  return layOut(at)
}

/** When a UUID version 7 was made, in milliseconds. */
export const timeOfUuid = (id: string): number =>
  Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** An id as another API writes it, as a flat string for the same reason. */
export const prefixed = (prefix: string, id: string): string => [prefix, id].join('')

/**
 * UUID version 7 that sorts by `sequence` within one account and millisecond. The sequence takes
 * 12 + 20 bits after the time; 42 bits stay random.
 */
export function sequencedUuid(nowMs: number, sequence: number): string {
  const at = freshBytes()
  const low = sequence % 2 ** 32
  pool.writeUIntBE(nowMs, at, 6)
  pool.writeUInt16BE(Math.floor(low / 2 ** 20), at + 6)
  const tail = low % 2 ** 20
  pool[at + 8] = tail >>> 14
  pool[at + 9] = (tail >>> 6) & 0xff
  pool[at + 10] = ((tail & 0x3f) << 2) | ((pool[at + 10] ?? 0) & 0x03)
  return layOut(at)
}

/** A sequenced one that sorts after `previous`, also within its millisecond or after a jump back. */
export function uuidAfter(previous: string | null, nowMs: number): string {
  const previousMs = previous === null ? 0 : timeOfUuid(previous)
  if (previous === null || previousMs < nowMs) return sequencedUuid(nowMs, 0)
  const sequence = sequenceOf(previous) + 1
  return sequence < 2 ** 32 ? sequencedUuid(previousMs, sequence) : sequencedUuid(previousMs + 1, 0)
}

/** The 32 bits after the time that `sequencedUuid` fills, whoever made it. */
function sequenceOf(id: string): number {
  const [high, middle, low] = [id.slice(15, 18), id.slice(19, 23), id.slice(24, 26)].map((part) =>
    Number.parseInt(part, 16),
  ) as [number, number, number]
  return high * 2 ** 20 + (middle & 0x3fff) * 2 ** 6 + (low >>> 2)
}

function layOut(at: number): string {
  pool[at + 6] = ((pool[at + 6] ?? 0) & 0x0f) | 0x70
  pool[at + 8] = ((pool[at + 8] ?? 0) & 0x3f) | 0x80
  for (let i = 0; i < 16; i++) {
    const byte = pool[at + i] ?? 0
    const position = positions[i] ?? 0
    text[position] = digits[byte >> 4] ?? 0
    text[position + 1] = digits[byte & 0x0f] ?? 0
  }
  return text.toString()
}

export const uuidPattern = '^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$'

/** No identifier that was made then or later comes before it. */
export function firstUuidAt(ms: number): string {
  const digits = Math.max(0, ms).toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`
}
