import { randomFillSync } from 'node:crypto'

// Asking the system for 16 bytes costs as much as asking for thousands.
const pool = Buffer.alloc(16 * 256)
let used = pool.length

function freshBytes(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += 16
  return pool.subarray(used - 16, used)
}

/** UUID version 7 (RFC 9562): the time leads, so that new rows land together in an index. */
export function uuidV7(nowMs: number): string {
  const bytes = freshBytes()
  bytes.writeUIntBE(nowMs, 0, 6)
  return layOut(bytes)
}

/**
 * UUID version 7 whose order within one account and millisecond follows `sequence`:
 * 12 + 20 bits after the time carry it, 42 bits stay random.
 */
export function sequencedUuid(nowMs: number, sequence: number): string {
  const bytes = freshBytes()
  const low = sequence % 2 ** 32
  bytes.writeUIntBE(nowMs, 0, 6)
  bytes.writeUInt16BE(Math.floor(low / 2 ** 20), 6)
  const tail = low % 2 ** 20
  bytes[8] = tail >>> 14
  bytes[9] = (tail >>> 6) & 0xff
  bytes[10] = ((tail & 0x3f) << 2) | ((bytes[10] ?? 0) & 0x03)
  return layOut(bytes)
}

function layOut(bytes: Buffer): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

export const uuidPattern = '^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$'
