import { crc32 } from 'node:zlib'
import type { Random } from './random.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const form = /^sk_[0-9A-Za-z]{38}$/
const secretLength = 32
const checksumLength = 6

export function makeApiKey(random: Random): string {
  let secret = ''
  while (secret.length < secretLength) {
    for (const byte of random(secretLength)) {
      // 248 is the largest multiple of 62 that fits a byte. Using the bytes above it would make
      // some letters more frequent than others.
      if (byte < 248 && secret.length < secretLength) secret += alphabet[byte % 62]
    }
  }
  return `sk_${secret}${checksum(secret)}`
}

/** Checks format and checksum only, so random guesses are refused without reading the database. */
export function isApiKey(text: string): boolean {
  return form.test(text) && text.endsWith(checksum(text.slice(3, 3 + secretLength)))
}

export const displayApiKey = (key: string): string => `${key.slice(0, 9)}…${key.slice(-4)}`

function checksum(secret: string): string {
  let rest = crc32(secret)
  let digits = ''
  while (digits.length < checksumLength) {
    digits = `${alphabet[rest % 62]}${digits}`
    rest = Math.floor(rest / 62)
  }
  return digits
}
