import type { Db, Reader } from '../db.ts'
import { bytes, integer, json, table, text, time } from '../table.ts'

export type StoredSigningKey = {
  sequence: number
  kid: string
  publicJwk: object
  sealedPrivateJwk: Uint8Array
  createdAtMs: number
  activeFromMs: number
}

const keys = table({
  sequence: integer,
  kid: text(),
  public_jwk: json<object>(),
  private_jwk: bytes,
  created_at: time,
  active_from: time,
}).all

/** Oldest first. */
export async function listSigningKeys(db: Reader): Promise<StoredSigningKey[]> {
  const rows = await keys.query(db, `select ${keys.columns} from signing_keys order by sequence`)
  return rows.map((row) => ({
    sequence: row.sequence,
    kid: row.kid,
    publicJwk: row.public_jwk,
    sealedPrivateJwk: row.private_jwk,
    createdAtMs: row.created_at,
    activeFromMs: row.active_from,
  }))
}

/** Does nothing if another process was first to take this number in the sequence. */
export async function insertSigningKey(db: Db, key: StoredSigningKey): Promise<void> {
  await db.write(
    `insert into signing_keys (sequence, kid, public_jwk, private_jwk, created_at, active_from)
     values ($1, $2, $3, $4, $5, $6) on conflict (sequence) do nothing`,
    [
      key.sequence,
      key.kid,
      JSON.stringify(key.publicJwk),
      key.sealedPrivateJwk,
      key.createdAtMs,
      key.activeFromMs,
    ],
  )
}

export async function deleteSigningKeysBefore(db: Db, sequence: number): Promise<void> {
  await db.write('delete from signing_keys where sequence < $1', [sequence])
}
