// Codes of an authenticator app: RFC 6238 with SHA-1, 30 s and 6 digits, which every app supports.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Random } from './random.ts'

const stepMs = 30_000
/** RFC 4226 asks for at least 128 bits and recommends 160. */
const secretBytes = 20
/** RFC 4648. Apps take the secret without padding. */
const base32Letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export const makeTotpSecret = (random: Random): Uint8Array => random(secretBytes)

export const totpStep = (nowMs: number): number => Math.floor(nowMs / stepMs)

export function totpCode(secret: Uint8Array, step: number, digits = 6): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 0x0f
  const number = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/**
 * The time step this code belongs to: the current one or a neighbour, to allow for clock skew and
 * slow typing. Null if the code is wrong or belongs to `afterStep` or an earlier step.
 */
export function matchingStep(
  secret: Uint8Array,
  code: string,
  { nowMs, afterStep }: { nowMs: number; afterStep: number },
): number | null {
  const now = totpStep(nowMs)
  const matches = [now - 1, now, now + 1].filter((step) => {
    const expected = Buffer.from(totpCode(secret, step))
    const given = Buffer.from(code)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  return matches.find((step) => step > afterStep) ?? null
}

export function base32(bytes: Uint8Array): string {
  let text = ''
  let held = 0
  let bits = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += base32Letters[(held >> bits) & 31]
    }
    held &= 31
  }
  return bits === 0 ? text : text + base32Letters[(held << (5 - bits)) & 31]
}

/** What an authenticator app reads from a QR code. */
export function otpauthAddress(secret: Uint8Array, account: string): string {
  const label = `Atelier:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=Atelier&algorithm=SHA1&digits=6&period=30`
}
