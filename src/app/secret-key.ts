import { hkdfSync, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The operator's key, or one generated on the first start and kept next to the data. */
export function readSecretKey(configured: string, dataDir: string): Uint8Array {
  if (configured !== '') return Buffer.from(configured, 'base64')
  const path = join(dataDir, 'secret.key')
  mkdirSync(dataDir, { recursive: true })
  try {
    writeFileSync(path, `${randomBytes(32).toString('base64')}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64')
  if (key.length !== 32) throw new Error(`${path} does not hold base64 of 32 bytes`)
  return key
}

/** Derives a separate key for each purpose, so that a leaked one opens nothing else. */
export const deriveKey = (secretKey: Uint8Array, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secretKey, '', `atelier/${purpose}`, 32))
