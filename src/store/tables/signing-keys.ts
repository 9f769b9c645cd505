import type { Db, Reader } from '../db.ts'

export type StoredSigningKey = {
  sequence: number
  kid: string
  publicJwk: object
  sealedPrivateJwk: Uint8Array
  createdAtMs: number
  activeFromMs: number
}

type Row = {
  sequence: number
  kid: string
  public_jwk: string
  private_jwk: Uint8Array
  created_at: number
  active_from: number
}

/** Oldest first. */
export async function listSigningKeys(db: Reader): Promise<StoredSigningKey[]> {
  const rows = await db.query<Row>(
    `select sequence, kid, public_jwk, private_jwk, created_at, active_from
     from signing_keys order by sequence`,
  )
  return rows.map((row) => ({
    sequence: row.sequence,
    kid: row.kid,
    publicJwk: JSON.parse(row.public_jwk),
    sealedPrivateJwk: row.private_jwk,
    createdAtMs: row.created_at,
    activeFromMs: row.active_from,
  }))
}

/** Does nothing if another process took this place in the sequence first. */
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
