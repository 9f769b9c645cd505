// One process on a disk that is full for a while: its files may not grow beyond a limit that its
// parent set. Says what its ledger has, before and after there is room again.
import { systemClock } from '#core/clock.ts'
import { createAttemptLedger } from '#engine/calls/attempt-ledger.ts'
import { StoreUnavailable } from '#store/db.ts'
import { ledgerIn } from '#store/engine/ledger.ts'
import { openChatJournal } from '#store/journals/chat-journal.ts'
import { migrate } from '#store/migrate.ts'
import { connectSqlite } from '#store/sqlite/connection.ts'
import { openSqlite } from '#store/sqlite/database.ts'
import { eventually } from '../../journeys/generation/setting.ts'
import { migrations, newAccount } from './setting.ts'

const [, , folder = ''] = process.argv
// Without a listener the first write past the limit would end the process.
process.on('SIGXFSZ', () => {})
const path = `${folder}/full.db`
const db = openSqlite({ path })
await migrate(db, migrations)
const chats = await openChatJournal({ db, clock: systemClock, folder, onError: () => {} })
const ledger = createAttemptLedger(ledgerIn(db, chats, systemClock), systemClock)
const accountId = newAccount()
const spender = { accountId, keyId: null, limits: {}, accountSpendPerMonthMicros: 1_000_000 }
const attempt = {
  ...{ attempt: 'a', accountId, keyId: null, taskId: null, runId: null, nodeId: null },
  ...{ operation: 'chat' as const, provider: 'double', model: 'm', unitPrice: '{}' },
  ...{ reservedMicros: 4_000, createdAtMs: systemClock.nowMs() },
}
await ledger.open(attempt, { spender, neededMicros: 4_000 })

await db.write('create table fillers (text text)')
await db.write("insert into fillers values ('')")
try {
  // The same page again and again: the log grows, and a checkpoint makes room.
  for (;;) await db.write('update fillers set text = text || $1', ['x'])
} catch (error) {
  if (!(error instanceof StoreUnavailable)) throw error
}
const row = () =>
  db.query<{ outcome: string; cost_micros: number | null }>(
    "select outcome, cost_micros from ledger where attempt = 'a'",
  )
const answer = { outcome: 'SUCCEEDED' as const, units: { inputTokens: 3 }, costMicros: 40 }
await ledger.settle({ attempt: 'a', ...answer })
console.log(JSON.stringify(await row()))
{
  using connection = connectSqlite(path, { readOnly: false, pragmas: [] })
  connection.all('pragma wal_checkpoint(truncate)')
}
const settled = await eventually(row, ([seen]) => seen?.outcome !== 'PENDING')
console.log(JSON.stringify(settled))
process.exit(0)
