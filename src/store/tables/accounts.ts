import type { Spending } from '#core/budgets.ts'
import type { StandIns } from '#core/pricing.ts'
import type { AccountChoices, KeyLimits } from '#core/principal.ts'
import type { Routes } from '#core/route.ts'
import type { Db, Reader, Tx, Writer } from '../db.ts'
import { bigint, orNull, type Row, table, text, time, uuid } from '../table.ts'

export type Account = {
  id: string
  name: string
  createdAtMs: number
  disabledAtMs: number | null
  spendLimitMicros: number | null
  webhookUrl: string | null
} & AccountChoices

/** What checking a credential needs to know about its account. */
export type AccountStanding = {
  accountId: string
  disabled: boolean
  spendLimitMicros: number | null
} & AccountChoices

const whole = table({
  id: uuid,
  name: text(),
  created_at: time,
  disabled_at: orNull(time),
  spend_limit_micros: orNull(bigint),
  /** JSON; null if there are none. */
  stand_in_prices: orNull(text()),
  /** JSON; null if there are none. */
  routes: orNull(text()),
  /** JSON; null if nothing is decided. */
  spending: orNull(text()),
  webhook_url: orNull(text()),
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
  const [row] = await whole.write(
    tx,
    `update accounts set stand_in_prices = $2 where id = $1 returning ${whole.columns}`,
    [accountId, jsonOrNull(standIns)],
  )
  return row ? toAccount(row) : null
}

export async function storeRoutes(tx: Tx, accountId: string, routes: Routes): Promise<void> {
  await tx.write('update accounts set routes = $2 where id = $1', [accountId, jsonOrNull(routes)])
}

export async function storeSpending(tx: Tx, accountId: string, spending: Spending): Promise<void> {
  const { budgets = {}, tags = {} } = spending
  const left = {
    ...(Object.keys(budgets).length > 0 ? { budgets } : {}),
    ...(Object.keys(tags).length > 0 ? { tags } : {}),
  }
  await tx.write('update accounts set spending = $2 where id = $1', [accountId, jsonOrNull(left)])
}

export async function readSpending(db: Reader, accountId: string): Promise<Spending | undefined> {
  const [row] = await db.query<{ spending: string | null }>(
    'select spending from accounts where id = $1',
    [accountId],
  )
  return row?.spending ? JSON.parse(row.spending) : undefined
}

/** The limits of an account and of some of its keys. */
export type LimitsNow = {
  spendLimitMicros: number | null
  spending: Spending | undefined
  keys: ReadonlyMap<string, KeyLimits>
}

/** Null if there is no such account. */
export async function readLimits(
  db: Reader,
  accountId: string,
  keyIds: readonly string[],
): Promise<LimitsNow | null> {
  const [row] = await db.query<Pick<StandingRow, 'spend_limit_micros' | 'spending'>>(
    'select spend_limit_micros, spending from accounts where id = $1',
    [accountId],
  )
  if (!row) return null
  const limitsOf = async (keyId: string) => {
    const [key] = await db.query<{ limits: string }>(
      'select limits from api_keys where account_id = $1 and id = $2',
      [accountId, keyId],
    )
    return key ? [[keyId, JSON.parse(key.limits) as KeyLimits] as const] : []
  }
  return {
    spendLimitMicros: row.spend_limit_micros,
    spending: row.spending === null ? undefined : JSON.parse(row.spending),
    keys: new Map((await Promise.all(keyIds.map(limitsOf))).flat()),
  }
}

export async function storeSpendLimit(
  tx: Tx,
  accountId: string,
  micros: number | null,
): Promise<void> {
  await tx.write('update accounts set spend_limit_micros = $2 where id = $1', [accountId, micros])
}

export async function storeWebhookUrl(
  tx: Tx,
  accountId: string,
  url: string | null,
): Promise<void> {
  await tx.write('update accounts set webhook_url = $2 where id = $1', [accountId, url])
}

const jsonOrNull = (members: object): string | null =>
  Object.keys(members).length === 0 ? null : JSON.stringify(members)

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

type ChoicesRow = { stand_in_prices: string | null; routes: string | null; spending: string | null }

export type StandingRow = ChoicesRow & {
  account_id: string
  disabled_at: number | null
  spend_limit_micros: number | null
}

/** Of the account `a`, for `toStanding`. */
export const standingColumns = 'a.spend_limit_micros, a.stand_in_prices, a.routes, a.spending'

export const toStanding = (row: StandingRow): AccountStanding => ({
  accountId: row.account_id,
  disabled: row.disabled_at !== null,
  spendLimitMicros: row.spend_limit_micros,
  ...choicesIn(row),
})

const choicesIn = ({ stand_in_prices, routes, spending }: ChoicesRow): AccountChoices => ({
  ...(stand_in_prices === null ? {} : { standIns: JSON.parse(stand_in_prices) }),
  ...(routes === null ? {} : { routes: JSON.parse(routes) }),
  ...(spending === null ? {} : { spending: JSON.parse(spending) }),
})

const toAccount = (row: Row<typeof whole>): Account => ({
  ...choicesIn(row),
  id: row.id,
  name: row.name,
  createdAtMs: row.created_at,
  disabledAtMs: row.disabled_at,
  webhookUrl: row.webhook_url,
  spendLimitMicros: row.spend_limit_micros,
})
