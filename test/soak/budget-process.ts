// A process that makes calls of a fixed price under a budget, all at once, to be killed:
// `budget-process.ts <address> <account> <calls> <price> <leaseMs>`.
import { systemClock } from '#core/clock.ts'
import { uuidV7 } from '#core/ids.ts'
import { createAttemptLedger } from '#engine/calls/attempt-ledger.ts'
import { createSpendQueue } from '#engine/calls/spend-queue.ts'
import { keepLease } from '#engine/work/lease-keeper.ts'
import { leasesIn } from '#store/engine/leases.ts'
import { ledgerIn } from '#store/engine/ledger.ts'
import { openChatIntents } from '#store/journals/chat-intents.ts'
import { openPostgres } from '#store/postgres/database.ts'

const [url = '', accountId = '', calls, price, leaseMs] = process.argv.slice(2)
const clock = systemClock
const db = openPostgres({ url, poolSize: 4 })
const store = ledgerIn(db, openChatIntents(db, clock), clock)
const lease = await keepLease(leasesIn(db), {
  clock,
  leaseMs: Number(leaseMs),
  role: 'serve',
  onError: () => undefined,
})
const ledger = createAttemptLedger(store, clock, createSpendQueue(store, clock), {
  holder: () => lease.current().workerId,
  directWaitMs: 60_000,
})
const spender = { accountId, keyId: null, limits: {}, accountSpendPerMonthMicros: null }

async function call(): Promise<string> {
  const attempt = uuidV7(clock.nowMs())
  const reservedMicros = Number(price)
  const row = {
    ...{ attempt, accountId, keyId: null, taskId: null, runId: null, nodeId: null, tag: 'soak' },
    ...{ operation: 'chat' as const, provider: 'double', model: 'm', unitPrice: '{}' },
    ...{ reservedMicros, createdAtMs: clock.nowMs() },
  }
  const wanted = { spender: { ...spender, tag: 'soak', isBudgeted: true } }
  try {
    await ledger.open(row, { ...wanted, neededMicros: reservedMicros })
  } catch (error) {
    return (error as { code?: string }).code ?? String(error)
  }
  // As long as a short answer takes.
  await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 200))
  await ledger.settle({ attempt, outcome: 'SUCCEEDED', units: {}, costMicros: reservedMicros })
  return 'made'
}

process.on('disconnect', () => process.exit(1))
process.on('message', async (word) => {
  if (word === 'stop') process.exit(0)
  const ends = await Promise.all(Array.from({ length: Number(calls) }, call))
  process.send?.(
    Object.fromEntries(
      Map.groupBy(ends, (end) => end)
        .entries()
        .map(([k, v]) => [k, v.length]),
    ),
  )
})
process.send?.('ready')
