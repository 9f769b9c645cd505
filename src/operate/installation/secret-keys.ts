import { hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPrivateFile, writePrivateFile } from '#store/private-file.ts'

export type SecretKeys = {
  secretKey: Uint8Array
  /** The previous key, while it is being replaced. */
  oldKey: Uint8Array | undefined
}

/**
 * The operator's keys, or those stored next to the data. The first start generates one; if `isSealed`,
 * the database already holds secrets that a new key could not read, and a missing key is refused.
 */
export function readSecretKeys(
  { SECRET_KEY, SECRET_KEY_OLD }: { SECRET_KEY: string; SECRET_KEY_OLD: string },
  dataDir: string,
  { isSealed }: { isSealed: boolean },
): SecretKeys {
  const given = SECRET_KEY_OLD === '' ? undefined : Buffer.from(SECRET_KEY_OLD, 'base64')
  if (SECRET_KEY !== '') return pairOf(Buffer.from(SECRET_KEY, 'base64'), given)
  const { keyPath, oldKeyPath } = pathsIn(dataDir)
  if (isSealed && !existsSync(keyPath)) {
    throw new Error(
      `${keyPath} is missing, and SECRET_KEY is not set: the secrets in this database cannot be read. Nothing was changed. Put the file back, or set SECRET_KEY to what it held.`,
    )
  }
  mkdirSync(dataDir, { recursive: true })
  // On disk before anything is sealed with it, and whole: a power cut must not leave half a key.
  if (!existsSync(keyPath)) createPrivateFile(keyPath, newKeyText())
  const secretKey = readKey(keyPath)
  if (!secretKey) throw new Error(`${keyPath} vanished while it was read`)
  return pairOf(secretKey, given ?? readKey(oldKeyPath))
}

/** A replacement that was interrupted before it wrote the new key left one key in both files. */
const pairOf = (secretKey: Buffer, oldKey: Buffer | undefined): SecretKeys => ({
  secretKey,
  oldKey: oldKey?.equals(secretKey) ? undefined : oldKey,
})

const pathsIn = (dataDir: string) => ({
  keyPath: join(dataDir, 'secret.key'),
  oldKeyPath: join(dataDir, 'secret.key.old'),
})

const newKeyText = () => `${randomBytes(32).toString('base64')}\n`

function readKey(path: string): Buffer | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== 32) throw new Error(`${path} does not hold base64 of 32 bytes`)
  return key
}

/**
 * Replaces the key in the folder with a new one and keeps the old one beside it. The next start
 * reseals the database. Null if there is no key here, 'unfinished' if a replacement is under way.
 */
export function replaceKeyFile(
  dataDir: string,
): { keyPath: string; oldKeyPath: string } | 'unfinished' | null {
  const { keyPath, oldKeyPath } = pathsIn(dataDir)
  const [key, oldKey] = [readKey(keyPath), readKey(oldKeyPath)]
  if (!key) return null
  if (oldKey && !oldKey.equals(key)) return 'unfinished'
  // In this order, a crash leaves the current key readable under its own name.
  if (!oldKey) writePrivateFile(oldKeyPath, readFileSync(keyPath, 'utf8'))
  writePrivateFile(keyPath, newKeyText())
  return { keyPath, oldKeyPath }
}

/** The operator's key, or the one next to the data. Never makes one. */
export function findSecretKey(SECRET_KEY: string, dataDir: string): Uint8Array | undefined {
  return SECRET_KEY === '' ? readKey(pathsIn(dataDir).keyPath) : Buffer.from(SECRET_KEY, 'base64')
}

/** Derives a separate key for each purpose, so that a leaked one opens nothing else. */
const deriveKey = (secretKey: Uint8Array, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secretKey, '', `atelier/${purpose}`, 32))

/** The key that backups are signed with. */
export const backupKey = (secretKey: Uint8Array): Uint8Array => deriveKey(secretKey, 'backups')

/** The keys that media addresses are signed with. */
export const addressKeys = ({ secretKey, oldKey }: SecretKeys) => ({
  signingKey: deriveKey(secretKey, 'media addresses'),
  ...(oldKey ? { oldSigningKey: deriveKey(oldKey, 'media addresses') } : {}),
})
