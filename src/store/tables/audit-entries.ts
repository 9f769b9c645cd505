import type { AuditAction } from '#core/audit-actions.ts'
import { sequencedUuid } from '#core/ids.ts'
import type { Db, Reader, Tx, Writer } from '../db.ts'
import { orNull, type Row, table, text, time, uuid } from '../table.ts'

export type AuditEntry = {
  accountId: string
  nowMs: number
  userId: string | null
  keyId: string | null
  action: AuditAction
  /** What was changed, and how: never empty, never a secret. */
  target: string
  ipAddress: string | null
}

const whole = table({
  id: uuid,
  at: time,
  actor_user: orNull(uuid),
  actor_key: orNull(uuid),
  action: text<AuditAction>(),
  target: orNull(text()),
  ip_address: orNull(text()),
}).all.beside<{ email: string | null; key_name: string | null }>()
export type AuditRow = Row<typeof whole>

const longestTarget = 300

let inserted = 0
/** Entries of one millisecond are listed in the order in which this process made them. */
const newId = (nowMs: number): string => sequencedUuid(nowMs, inserted++)

const columns = [
  'account_id',
  'id',
  'at',
  'actor_user',
  'actor_key',
  'action',
  'target',
  'ip_address',
]

const valuesOf = (entry: AuditEntry) => [
  entry.accountId,
  newId(entry.nowMs),
  entry.nowMs,
  entry.userId,
  entry.keyId,
  entry.action,
  entry.target.slice(0, longestTarget),
  entry.ipAddress,
]

export async function insertAuditEntry(tx: Writer, entry: AuditEntry): Promise<void> {
  await tx.write(
    `insert into audit_entries (${columns.join(', ')}) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    valuesOf(entry),
  )
}

export const insertAuditEntries = (tx: Tx, entries: readonly AuditEntry[]) =>
  tx.run(tx.dialect.insertRows('audit_entries', columns, entries.map(valuesOf)))

type OfUser = {
  userId: string
  action: AuditAction
  nowMs: number
  ipAddress: string | null
  target: string
}

/** For callers that know only the person; the entry is added to that person's account. */
export async function insertAuditOfUser(tx: Writer, entry: OfUser): Promise<void> {
  await tx.write(
    `insert into audit_entries (account_id, id, at, actor_user, action, target, ip_address)
     select account_id, $2, $3, id, $4, $6, $5 from users where id = $1`,
    [
      entry.userId,
      newId(entry.nowMs),
      entry.nowMs,
      entry.action,
      entry.ipAddress,
      entry.target.slice(0, longestTarget),
    ],
  )
}

/**
 * Counts it for the person, who is told with the next sign-in. At most one entry a minute per
 * person, so that guessing passwords cannot fill the log.
 */
export async function insertFailedSignIn(db: Db, entry: Omit<OfUser, 'action'>): Promise<void> {
  const action: AuditAction = 'sign-in.failed'
  await db.transaction(async (tx) => {
    // First, because it locks the row: without that, simultaneous guesses would all find no entry.
    await tx.write(
      `update users set failed_sign_ins = failed_sign_ins + 1, failed_sign_in_at = $2,
         failed_sign_in_from = $3
       where id = $1`,
      [entry.userId, entry.nowMs, entry.ipAddress],
    )
    // By identifier, which sorts by time, so that the entries of a year are not searched.
    const [known] = await tx.query(
      `select e.id from audit_entries e join users u on u.account_id = e.account_id
       where u.id = $1 and e.actor_user = u.id and e.action = $2 and e.id > $3 limit 1`,
      [entry.userId, action, sequencedUuid(entry.nowMs - 60_000, 0)],
    )
    if (!known) await insertAuditOfUser(tx, { ...entry, action })
  })
}

export type AuditFilters = { action?: AuditAction; actorId?: string; from?: number; to?: number }

/** Newest first, before the entry `before`. */
export function listAuditEntries(
  db: Reader,
  accountId: string,
  { action, actorId, from, to }: AuditFilters,
  { before, limit }: { before: string | null; limit: number },
): Promise<AuditRow[]> {
  const params: (string | number)[] = [accountId]
  const given = (
    condition: (param: string) => string,
    value: string | number | null | undefined,
  ) => {
    if (value === null || value === undefined) return ''
    params.push(value)
    return ` and ${condition(`$${params.length}`)}`
  }
  const conditions = [
    given((param) => `e.id < ${param}`, before),
    given((param) => `e.action = ${param}`, action),
    given((param) => `(e.actor_user = ${param} or e.actor_key = ${param})`, actorId),
    given((param) => `e.at >= ${param}`, from),
    given((param) => `e.at < ${param}`, to),
  ].join('')
  return whole.query(
    db,
    `select ${whole.of('e')}, coalesce(u.email, u.former_email, u.name) as email, k.name as key_name
     from audit_entries e
       left join users u on u.id = e.actor_user left join api_keys k on k.id = e.actor_key
     where e.account_id = $1${conditions} order by e.id desc limit ${limit}`,
    params,
  )
}

/** Returns how many it deleted. */
export async function deleteOldAuditEntries(
  db: Db,
  beforeMs: number,
  limit: number,
): Promise<number> {
  return db.transaction(async (tx: Tx) => {
    const rows = await tx.query<{ account_id: string; id: string }>(
      `select account_id, id from audit_entries where at < $1 order by at limit ${limit}`,
      [beforeMs],
    )
    for (const { account_id, id } of rows) {
      await tx.write('delete from audit_entries where account_id = $1 and id = $2', [
        account_id,
        id,
      ])
    }
    return rows.length
  })
}
