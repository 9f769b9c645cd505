// Two-step sign-in: the secret of a person's authenticator, and codes for when it is lost.
import type { Reader, Tx } from '../db.ts'
import type { SecretBox } from '../secret-box.ts'
import { bytes, orNull, table, time } from '../table.ts'

export type SecondFactor = {
  secret: Uint8Array
  /** Null until the person has shown that their authenticator works. */
  confirmedAtMs: number | null
  /** The newest time step whose code was accepted. */
  lastStep: number
}

const factors = table({ secret: bytes, confirmed_at: orNull(time), last_step: time }).all

const rowKey = (userId: string) => ({ table: 'second_factors', row: userId })

export async function readSecondFactor(
  db: Reader,
  box: SecretBox,
  userId: string,
): Promise<SecondFactor | null> {
  const [row] = await factors.query(
    db,
    `select ${factors.columns} from second_factors where user_id = $1`,
    [userId],
  )
  if (!row) return null
  const secret = box.open(rowKey(userId), row.secret)
  return { secret, confirmedAtMs: row.confirmed_at, lastStep: row.last_step }
}

/** Replaces an unconfirmed one. False if there is a confirmed one. */
export async function putSecondFactor(
  tx: Tx,
  box: SecretBox,
  { userId, secret, nowMs }: { userId: string; secret: Uint8Array; nowMs: number },
): Promise<boolean> {
  const rows = await tx.write(
    `insert into second_factors as f (user_id, secret, created_at, last_step) values ($1, $2, $3, 0)
     on conflict (user_id) do update set secret = $2, created_at = $3, last_step = 0
       where f.confirmed_at is null
     returning user_id`,
    [userId, box.seal(rowKey(userId), secret), nowMs],
  )
  return rows.length === 1
}

/** False if it was confirmed before, or if the code of that step was used. */
export async function confirmSecondFactor(
  tx: Tx,
  { userId, step, nowMs }: { userId: string; step: number; nowMs: number },
): Promise<boolean> {
  const rows = await tx.write(
    `update second_factors set confirmed_at = $3, last_step = $2
     where user_id = $1 and confirmed_at is null and last_step < $2 returning user_id`,
    [userId, step, nowMs],
  )
  return rows.length === 1
}

/** True for the one caller, in any process, that used the code of this step. */
export async function useStep(tx: Tx, userId: string, step: number): Promise<boolean> {
  const rows = await tx.write(
    `update second_factors set last_step = $2
     where user_id = $1 and confirmed_at is not null and last_step < $2 returning user_id`,
    [userId, step],
  )
  return rows.length === 1
}

/** True for the one caller that used this code. */
export async function useRecoveryCode(tx: Tx, userId: string, codeHash: string): Promise<boolean> {
  const rows = await tx.write(
    'delete from recovery_codes where user_id = $1 and code_hash = $2 returning user_id',
    [userId, codeHash],
  )
  return rows.length === 1
}

export async function replaceRecoveryCodes(
  tx: Tx,
  userId: string,
  codeHashes: readonly string[],
): Promise<void> {
  await tx.write('delete from recovery_codes where user_id = $1', [userId])
  for (const codeHash of codeHashes) {
    await tx.write('insert into recovery_codes (user_id, code_hash) values ($1, $2)', [
      userId,
      codeHash,
    ])
  }
}

export async function countRecoveryCodes(db: Reader, userId: string): Promise<number> {
  const [row] = await db.query<{ codes: number }>(
    'select count(*) as codes from recovery_codes where user_id = $1',
    [userId],
  )
  return Number(row?.codes ?? 0)
}

/** Turns two-step sign-in off. */
export async function deleteSecondFactor(tx: Tx, userId: string): Promise<void> {
  await tx.write('delete from recovery_codes where user_id = $1', [userId])
  await tx.write('delete from second_factors where user_id = $1', [userId])
}
