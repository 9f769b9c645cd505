// The manifest describes a backup. It is the last file that is written and the first that is read:
// a folder without it is an unfinished backup. Whoever can write to the folder can write a manifest,
// so every name in it is checked before anything uses it: a restore writes files of these names.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAjv } from '#core/ajv.ts'
import { type Static, Type } from '#core/schema.ts'
import { blobNamePattern } from '#media/blob-store.ts'
import { keyNames } from './source.ts'

export const format = 1
export const manifestName = 'manifest.json'

const Identifier = Type.String({ pattern: '^[a-z][a-z0-9_]{0,62}$' })
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Names = Type.Array(Identifier, { minItems: 1, uniqueItems: true })
const Count = Type.Integer({ minimum: 0 })

/** A file of the backup, by its path in the folder. */
const Listed = Type.Object({ path: Type.String(), lines: Count, sha256: Sha256 })

const Manifest = Type.Object({
  format: Type.Literal(format),
  /** The version of Atelier that wrote it. */
  version: Type.String(),
  /** The time of the snapshot. */
  takenAt: Type.String(),
  migrations: Type.Array(Type.Object({ name: Type.String(), hash: Type.String() })),
  identities: Type.Array(Type.Object({ table_name: Identifier, name: Identifier, last: Count })),
  tables: Type.Array(
    Type.Object({ name: Identifier, columns: Names, key: Names, ...Listed.properties }),
  ),
  chats: Listed,
  keys: Type.Array(
    Type.Object({
      name: Type.Unsafe<(typeof keyNames)[number]>({ type: 'string', enum: [...keyNames] }),
      sha256: Sha256,
    }),
  ),
  /** One name per line, which begins with the checksum of the content. */
  blobs: Type.Object({ ...Listed.properties, bytes: Count }),
  /** Blobs that records refer to but whose bytes were gone or damaged. */
  missing: Type.Array(Type.String({ pattern: blobNamePattern })),
})

export type Listed = Static<typeof Listed>
export type Manifest = Static<typeof Manifest>

export const tablePath = (name: string): string => `tables/${name}.jsonl`
export const chatsPath = 'chats.jsonl'
export const blobsPath = 'blobs.txt'

export class BackupRefused extends Error {
  override name = 'BackupRefused'
}

export const damaged = (path: string, reason: string, cause?: unknown) =>
  new BackupRefused(`The backup is damaged: ${path} ${reason}. Nothing was written.`, { cause })

export const sha256 = (text: string | Uint8Array): string =>
  createHash('sha256').update(text).digest('hex')

const signatureOf = (manifest: unknown, key: Uint8Array): string =>
  createHmac('sha256', key).update(JSON.stringify(manifest)).digest('hex')

/** Signed with a key of the installation, unless this machine does not have it. */
export function encodeManifest(manifest: Manifest, key: Uint8Array | undefined): string {
  const signature = key ? signatureOf(manifest, key) : null
  const file = { manifest, sha256: sha256(JSON.stringify(manifest)), signature }
  return `${JSON.stringify(file, null, 1)}\n`
}

type Read = { manifest: Manifest; isSignedWith(key: Uint8Array): boolean }

export function readManifest(folder: string): Read {
  const path = join(folder, manifestName)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    const reason = `${folder} holds no ${manifestName}: it is not a backup, or the backup was not finished.`
    throw new BackupRefused(reason, { cause })
  }
  const read = parsed(path, text)
  const { manifest, signature } = read
  const written = (manifest as Partial<Manifest> | undefined)?.format
  if (written !== format)
    throw new BackupRefused(`${path} has the format ${written}, and this version reads ${format}.`)
  if (sha256(JSON.stringify(manifest)) !== read.sha256)
    throw damaged(path, 'has the wrong checksum')
  assertKnown(path, manifest)
  return {
    manifest,
    isSignedWith: (key) =>
      typeof signature === 'string' && isSame(signature, signatureOf(manifest, key)),
  }
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)]
  return first.length === second.length && timingSafeEqual(first, second)
}

function assertKnown(path: string, manifest: unknown): asserts manifest is Manifest {
  const validate = createAjv().compile<Manifest>(Manifest)
  if (!validate(manifest)) {
    const [first] = validate.errors ?? []
    throw damaged(path, `is not one that Atelier writes: ${first?.instancePath} ${first?.message}`)
  }
  const expected = [
    ...manifest.tables.map(({ name, path: found }) => [found, tablePath(name)]),
    [manifest.chats.path, chatsPath],
    [manifest.blobs.path, blobsPath],
  ]
  for (const [found, wanted] of expected)
    if (found !== wanted) throw damaged(path, `names the file ${found} in place of ${wanted}`)
}

function parsed(
  path: string,
  text: string,
): { manifest?: unknown; sha256?: unknown; signature?: unknown } {
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch (cause) {
    throw damaged(path, 'is not JSON', cause)
  }
  if (typeof read !== 'object' || read === null) throw damaged(path, 'is not an object')
  return read
}
