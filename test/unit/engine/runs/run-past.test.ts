import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { createPastReader } from '#engine/runs/run-past.ts'
import type { ClaimedRun } from '#store/engine-store.ts'

test('runs that wake together are read together, with the limits of now', async () => {
  const asked: string[] = []
  const readPast = createPastReader({
    clock: systemClock,
    steps: {
      async ofRuns(ids) {
        asked.push(`steps of ${ids.length}`)
        return new Map(ids.map((id) => [id, []]))
      },
      resultOf: () => assert.fail('no result is left out here'),
    },
    waits: {
      async ofRuns(ids: readonly string[]) {
        asked.push(`waits of ${ids.length}`)
        return ids.map((id) => ({ run_id: id, path: `of ${id}` }))
      },
    } as never,
    ledger: { attemptsOf: () => assert.fail('none has a limit of its own') } as never,
    async spenderNow(accountId, before) {
      assert.equal(accountId, 'a')
      return { ...before, limits: { spendPerMonthMicros: 7 } }
    },
  })
  const run = (id: string, keyId: string, slept_epoch: number) =>
    ({
      id,
      account_id: 'a',
      slept_epoch,
      max_cost_micros: null,
      spender: { keyId, limits: {} },
    }) as unknown as ClaimedRun
  const rows = Array.from({ length: 20 }, (_, i) => run(`${i}`, `k${i % 2}`, 1))
  const pasts = await Promise.all([...rows, run('crashed', 'k2', 0)].map(readPast))
  assert.deepEqual(asked, ['steps of 21', 'waits of 21'])
  assert.deepEqual(
    pasts.map(({ waits }) => waits[0]?.path),
    [...rows.map(({ id }) => `of ${id}`), 'of crashed'],
  )
  assert.equal(pasts[0]?.spender?.limits.spendPerMonthMicros, 7)
  assert.equal(pasts.at(-1)?.spender, null, 'it has not slept')
})
