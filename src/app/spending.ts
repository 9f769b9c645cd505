import { toMicros } from '#core/money.ts'
import { createAttemptLedger } from '#engine/calls/attempt-ledger.ts'
import { createBudgetAlerts } from '#engine/calls/budget-alerts.ts'
import { observeLedger } from '#engine/calls/observed-ledger.ts'
import { createSpendQueue } from '#engine/calls/spend-queue.ts'
import { keepLease } from '#engine/work/lease-keeper.ts'
import type { Metrics } from '#operate/metrics/metrics.ts'
import type { EngineStore } from '#store/engine-store.ts'
import type { Base } from './stores.ts'

/** What lets paid calls start and settles them, and the lease that their reservations have. */
export async function openSpending(
  { config, clock, log, onClose }: Base,
  store: Pick<EngineStore, 'ledger' | 'leases'>,
  metrics: Metrics,
) {
  const lease = await keepLease(store.leases, {
    clock,
    leaseMs: config.LEASE_SECONDS * 1000,
    role: config.ROLE === 'api' ? 'serve' : 'work',
    onError: (err) => log.error({ err }, 'the lease was not renewed'),
  })
  onClose(lease.release)
  const alerts = createBudgetAlerts({
    ledger: store.ledger,
    clock,
    onPassed: metrics.budgetPassed,
    onError: (err) => log.error({ err }, 'budgets were not looked at'),
  })
  onClose(alerts.close)
  const spending = createSpendQueue(store.ledger, clock, {
    serverLimitMicros: config.SPEND_LIMIT === 0 ? null : toMicros(config.SPEND_LIMIT),
    onSpending: alerts.watch,
    onRefused: metrics.spendRefused,
  })
  const plain = createAttemptLedger(store.ledger, clock, spending, {
    holder: () => lease.current().workerId,
    directWaitMs: config.SPEND_WAIT_SECONDS * 1000,
  })
  const { callSettled } = metrics
  const ledger = callSettled ? observeLedger(plain, clock, callSettled) : plain
  onClose(ledger.close)
  // A process that only serves claims no work.
  return { keeper: config.ROLE === 'api' ? null : lease, spending, ledger }
}
