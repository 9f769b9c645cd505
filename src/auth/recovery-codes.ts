import type { Random } from './random.ts'
import { hashToken } from './token-hash.ts'
import { base32 } from './totp.ts'

const count = 10
/** 80 bits: too many to try out even for somebody who has the stored hashes. */
const codeBytes = 10

/** Such as `k3vq-7tzp-b2mh-x5ac`. */
export function makeRecoveryCodes(random: Random): string[] {
  return Array.from({ length: count }, () =>
    (base32(random(codeBytes)).toLowerCase().match(/.{4}/g) ?? []).join('-'),
  )
}

/** Ignores case and separators, so that the code may be typed either way. */
export const hashRecoveryCode = (code: string): string =>
  hashToken(code.toLowerCase().replace(/[^a-z2-7]/g, ''))
