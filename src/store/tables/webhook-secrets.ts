import type { Db, Reader } from '../db.ts'
import type { SecretBox } from '../secret-box.ts'
import { bytes, orNull, type Row, table, time } from '../table.ts'

/** Raw key bytes. A delivery is signed with both while the previous one is still valid. */
export type WebhookSecret = {
  current: Uint8Array
  previous: { secret: Uint8Array; validUntilMs: number } | null
  rotatedAtMs: number
}

const secrets = table({
  secret: bytes,
  previous_secret: orNull(bytes),
  previous_until: orNull(time),
  rotated_at: time,
}).all

const rowKey = (accountId: string) => ({ table: 'webhook_secrets', row: accountId })

async function readWebhookSecret(
  db: Reader,
  box: SecretBox,
  accountId: string,
  nowMs: number,
): Promise<WebhookSecret | null> {
  const [row] = await secrets.query(
    db,
    `select ${secrets.columns} from webhook_secrets where account_id = $1`,
    [accountId],
  )
  return row ? toSecret(box, accountId, row, nowMs) : null
}

/** For an account that has none yet. */
export type NewSecret = { makeSecret: () => Uint8Array; nowMs: number }

/** The account's secret; if there is none, the first of several callers decides what it is. */
export async function ensureWebhookSecret(
  db: Db,
  box: SecretBox,
  accountId: string,
  { makeSecret, nowMs }: NewSecret,
): Promise<WebhookSecret> {
  const known = await readWebhookSecret(db, box, accountId, nowMs)
  if (known) return known
  await db.write(
    `insert into webhook_secrets (account_id, secret, rotated_at) values ($1, $2, $3)
     on conflict (account_id) do nothing`,
    [accountId, box.seal(rowKey(accountId), makeSecret()), nowMs],
  )
  const made = await readWebhookSecret(db, box, accountId, nowMs)
  if (!made) throw new Error('a webhook secret vanished while it was read')
  return made
}

/** The secret used so far stays valid until `previousUntilMs`; the one before it is dropped. */
export async function rotateWebhookSecret(
  db: Db,
  box: SecretBox,
  accountId: string,
  next: { secret: Uint8Array; previousUntilMs: number; nowMs: number },
): Promise<WebhookSecret> {
  const [row] = await secrets.write(
    db,
    `insert into webhook_secrets (account_id, secret, rotated_at) values ($1, $2, $4)
     on conflict (account_id) do update set previous_secret = webhook_secrets.secret,
       previous_until = $3, secret = excluded.secret, rotated_at = excluded.rotated_at
     returning ${secrets.columns}`,
    [accountId, box.seal(rowKey(accountId), next.secret), next.previousUntilMs, next.nowMs],
  )
  if (!row) throw new Error('a rotated webhook secret was not returned')
  return toSecret(box, accountId, row, next.nowMs)
}

function toSecret(
  box: SecretBox,
  accountId: string,
  row: Row<typeof secrets>,
  nowMs: number,
): WebhookSecret {
  const { previous_secret: previous, previous_until: untilMs } = row
  const isValid = previous !== null && untilMs !== null && untilMs > nowMs
  return {
    current: box.open(rowKey(accountId), row.secret),
    previous: isValid
      ? { secret: box.open(rowKey(accountId), previous), validUntilMs: untilMs }
      : null,
    rotatedAtMs: row.rotated_at,
  }
}
