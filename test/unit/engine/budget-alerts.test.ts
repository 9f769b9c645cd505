import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PassedThreshold } from '#core/budget-alert.ts'
import { budgetKey } from '#core/budgets.ts'
import { createBudgetAlerts } from '#engine/calls/budget-alerts.ts'
import { createHandClock } from '../../support/hand-clock.ts'

const name = { scope: 'account', period: 'day', target: '' } as const
const bound = { ...name, id: budgetKey(name), limitMicros: 1_000 }

test('what is settled while a stopping process still looks is told as well', async () => {
  const { clock, pass } = createHandClock()
  let spentMicros = 0
  const sums = Promise.withResolvers<void>()
  const told: PassedThreshold[] = []
  const alerts = createBudgetAlerts({
    ledger: {
      async recordPassed(_accountId, _bounds, atMs) {
        const isHeld = spentMicros === 0
        const passed = isHeld ? [] : [{ ...bound, percent: 50 as const, spentMicros, atMs }]
        await sums.promise
        return { passed, isHeld }
      },
    },
    ...{ clock, onPassed: (one) => told.push(one), onError: assert.ifError },
  })
  alerts.watch('account', [bound])
  await pass(1_000)
  // The first look reads its sums now; the call ends before it has them.
  const closed = alerts.close()
  sums.resolve()
  spentMicros = 500
  await closed
  assert.deepEqual(
    told.map(({ percent }) => percent),
    [50],
  )
})
