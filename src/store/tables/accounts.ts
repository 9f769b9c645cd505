import type { StandIns } from '#core/pricing.ts'
import type { Db, Reader, Tx, Writer } from '../db.ts'
import { bigint, orNull, type Row, table, text, time, uuid } from '../table.ts'

export type Account = {
  id: string
  name: string
  createdAtMs: number
  disabledAtMs: number | null
  spendLimitMicros: number | null
  standIns: StandIns
}

/** What checking a credential needs to know about its account. */
export type AccountStanding = {
  accountId: string
  disabled: boolean
  spendLimitMicros: number | null
  /** Absent if it has chosen none. */
  standIns?: StandIns
}

const whole = table({
  id: uuid,
  name: text(),
  created_at: time,
  disabled_at: orNull(time),
  spend_limit_micros: orNull(bigint),
  /** JSON; null if there are none. */
  stand_in_prices: orNull(text()),
}).all

export async function insertAccount(
  tx: Tx,
  account: { id: string; name: string; nowMs: number },
): Promise<void> {
  await tx.write('insert into accounts (id, name, created_at) values ($1, $2, $3)', [
    account.id,
    account.name,
    account.nowMs,
  ])
}

export async function readAccount(db: Reader, accountId: string): Promise<Account | null> {
  const [row] = await whole.query(db, `select ${whole.columns} from accounts where id = $1`, [
    accountId,
  ])
  return row ? toAccount(row) : null
}

export async function updateAccountSettings(
  db: Db,
  accountId: string,
  settings: { name: string; spendLimitMicros: number | null },
): Promise<Account | null> {
  const [row] = await whole.write(
    db,
    `update accounts set name = $2, spend_limit_micros = $3 where id = $1
     returning ${whole.columns}`,
    [accountId, settings.name, settings.spendLimitMicros],
  )
  return row ? toAccount(row) : null
}

/** Null if there is no such account. */
export async function storeStandIns(
  tx: Tx,
  accountId: string,
  standIns: StandIns,
): Promise<Account | null> {
  const json = Object.keys(standIns).length === 0 ? null : JSON.stringify(standIns)
  const [row] = await whole.write(
    tx,
    `update accounts set stand_in_prices = $2 where id = $1 returning ${whole.columns}`,
    [accountId, json],
  )
  return row ? toAccount(row) : null
}

/**
 * A time of null enables the account again. Its credentials stop working within 5 s in every
 * process; call `forgetAccount` to stop them at once in this one.
 */
export async function setAccountDisabled(
  db: Writer,
  accountId: string,
  disabledAtMs: number | null,
): Promise<Account | null> {
  const [row] = await whole.write(
    db,
    `update accounts set disabled_at = $2 where id = $1 returning ${whole.columns}`,
    [accountId, disabledAtMs],
  )
  return row ? toAccount(row) : null
}

/** Others that lock this account wait until the transaction ends. Works on both databases. */
export async function lockAccount(tx: Tx, accountId: string): Promise<void> {
  await tx.write('update accounts set name = name where id = $1', [accountId])
}

export type StandingRow = {
  account_id: string
  disabled_at: number | null
  spend_limit_micros: number | null
  stand_in_prices: string | null
}

export const toStanding = (row: StandingRow): AccountStanding => ({
  accountId: row.account_id,
  disabled: row.disabled_at !== null,
  spendLimitMicros: row.spend_limit_micros,
  ...(row.stand_in_prices === null ? {} : { standIns: standInsIn(row) }),
})

const standInsIn = ({ stand_in_prices }: Pick<StandingRow, 'stand_in_prices'>): StandIns =>
  stand_in_prices === null ? {} : JSON.parse(stand_in_prices)

const toAccount = (row: Row<typeof whole>): Account => ({
  standIns: standInsIn(row),
  id: row.id,
  name: row.name,
  createdAtMs: row.created_at,
  disabledAtMs: row.disabled_at,
  spendLimitMicros: row.spend_limit_micros,
})
