// Promises: what is sealed can be opened only with the same master key and for the same row
// (table and key), so that a copied or swapped column is refused like a tampered one.
// Never keeps the master key itself: each table has its own derived key.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

/** Where a secret lives. `row` binds it to its row. */
export type RowKey = { table: string; row: string }

export type SecretBox = {
  seal(at: RowKey, plain: Uint8Array): Uint8Array
  /** Throws if the master key, the row or a single bit differs. */
  open(at: RowKey, sealed: Uint8Array): Buffer
  /** Whether it was sealed with the current key rather than the one being replaced. */
  isCurrent(at: RowKey, sealed: Uint8Array): boolean
  /** Proves that a text was issued here. The same text always gets the same signature. */
  sign(at: RowKey, text: string): Buffer
  isSigned(at: RowKey, text: string, signature: Uint8Array): boolean
  /** Tells two master keys apart without revealing anything about them. */
  fingerprint: string
  /** The fingerprint of the key being replaced, if there is one. */
  oldFingerprint: string | null
}

const version = 1
const nonceBytes = 12
const tagBytes = 16

/** Seals and signs with `masterKey`. What was sealed or signed with `oldKey` is accepted too. */
export function createSecretBox(masterKey: Uint8Array, oldKey?: Uint8Array): SecretBox {
  const current = boxOf(masterKey)
  const old = oldKey ? boxOf(oldKey) : null
  return {
    seal: current.seal,
    open(at, sealed) {
      try {
        return current.open(at, sealed)
      } catch (error) {
        if (!old) throw error
        return old.open(at, sealed)
      }
    },
    isCurrent(at, sealed) {
      try {
        current.open(at, sealed)
        return true
      } catch {
        return false
      }
    },
    sign: current.sign,
    isSigned: (at, text, signature) =>
      [current, old].some((box) => {
        const expected = box?.sign(at, text)
        return expected?.length === signature.length && timingSafeEqual(expected, signature)
      }),
    fingerprint: current.fingerprint,
    oldFingerprint: old?.fingerprint ?? null,
  }
}

function boxOf(masterKey: Uint8Array) {
  if (masterKey.length !== 32) throw new Error('the secret key must have 32 bytes')
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', masterKey, '', `atelier/${purpose}`, 32))
  const root = derive('tables')
  const keys = new Map<string, Buffer>()

  function keyOf(table: string): Buffer {
    const known = keys.get(table)
    if (known) return known
    const key = Buffer.from(hkdfSync('sha256', root, '', table, 32))
    keys.set(table, key)
    return key
  }

  return {
    seal({ table, row }: RowKey, plain: Uint8Array): Uint8Array {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', keyOf(table), nonce)
      cipher.setAAD(associated(table, row))
      const body = [cipher.update(plain), cipher.final()]
      return Buffer.concat([Buffer.of(version), nonce, ...body, cipher.getAuthTag()])
    },
    open({ table, row }: RowKey, sealed: Uint8Array): Buffer {
      const bytes = Buffer.from(sealed)
      if (bytes[0] !== version || bytes.length < 1 + nonceBytes + tagBytes) {
        throw new Error('not a sealed secret')
      }
      const nonce = bytes.subarray(1, 1 + nonceBytes)
      const decipher = createDecipheriv('aes-256-gcm', keyOf(table), nonce, {
        authTagLength: tagBytes,
      })
      decipher.setAAD(associated(table, row))
      decipher.setAuthTag(bytes.subarray(-tagBytes))
      return Buffer.concat([
        decipher.update(bytes.subarray(1 + nonceBytes, -tagBytes)),
        decipher.final(),
      ])
    },
    sign: ({ table, row }: RowKey, text: string): Buffer =>
      createHmac('sha256', keyOf(`${table}, signed`))
        .update(associated(table, row))
        .update('\0')
        .update(text)
        .digest(),
    fingerprint: createHash('sha256').update(derive('fingerprint')).digest('base64url'),
  }
}

const associated = (table: string, row: string) => Buffer.from(`${table}\0${row}`)
