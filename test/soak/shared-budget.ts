// 1,000 calls of a fixed price at once under a budget of 1 USD, made by three processes of which one
// is killed in the middle: not a millionth too much, hardly anything left, and no reservation stays.
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { budgetKey } from '#core/budgets.ts'
import { uuidV7 } from '#core/ids.ts'
import type { Db } from '#store/db.ts'
import { insertAccount, storeSpending } from '#store/tables/accounts.ts'
import { scopeUse } from '#store/tables/spend-uses.ts'

const limitMicros = 1_000_000
const priceMicros = 3_000
const leaseMs = 3_000
const name = { scope: 'tag', target: 'soak', period: 'day' } as const

export async function spendTogether({ db, url }: { db: Db; url: string }, calls: number) {
  const accountId = uuidV7(Date.now())
  await db.transaction(async (tx) => {
    await insertAccount(tx, { id: accountId, name: 'a', nowMs: 0 })
    await storeSpending(tx, accountId, { budgets: { [budgetKey(name)]: { limitMicros } } })
  })
  // The one that dies begins first, and holds reservations when it does.
  const doomed = Math.floor(calls / 10)
  const each = Math.ceil((calls - doomed) / 2)
  const victim = await begin(url, accountId, doomed)
  const others = await Promise.all([1, 2].map(() => begin(url, accountId, each)))
  const ends = others.map((child) => once(child, 'message'))
  victim.send('go')
  const pending = () => heldBy(db, accountId)
  while ((await pending()) < priceMicros * 20) await delay(5)
  for (const child of others) child.send('go')
  victim.kill('SIGKILL')
  const killedAtMs = Date.now()
  const counted = (await Promise.all(ends)).map(([count]) => count as Record<string, number>)
  while ((await pending()) > 0) await delay(50)
  const freedAfterMs = Date.now() - killedAtMs
  for (const child of others) child.send('stop')
  const { dayMicros } = await scopeUse(db, accountId, name, Date.now())
  const [lost] = await db.query<{ n: number }>(
    `select count(*) as n from ledger where account_id = $1 and outcome = 'UNKNOWN'`,
    [accountId],
  )
  assert.ok(dayMicros <= limitMicros, `overspent: ${dayMicros}`)
  assert.ok(dayMicros >= limitMicros * 0.95, `unused: ${dayMicros}`)
  assert.ok(dayMicros + priceMicros > limitMicros, 'refused although it fitted')
  return { spentMicros: dayMicros, lost: Number(lost?.n), freedAfterMs, counted }
}

const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const heldBy = async (db: Db, accountId: string) =>
  (await scopeUse(db, accountId, name, Date.now())).heldMicros

async function begin(url: string, accountId: string, calls: number): Promise<ChildProcess> {
  const file = new URL('budget-process.ts', import.meta.url)
  const child = fork(file, [url, accountId, ...[calls, priceMicros, leaseMs].map(String)])
  await once(child, 'message')
  return child
}
