import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { batchTimes } from '#core/economy.ts'
import { LeaseLost } from '#core/interruptions.ts'
import type { BatchDeps, Hand } from '#engine/batches/batch-hand.ts'
import { lookFor, submit } from '#engine/batches/submit-batch.ts'
import type { Batches } from '#providers/provider.ts'

const times = batchTimes(86_400_000)
const createdAtMs = 1_000_000

/** A vendor, and a worker that reaches it `heldUpMs` after it has stored a batch. */
function setting({ heldUpMs = 0, isCertain = () => true }: Partial<Worker>) {
  const seen: string[] = []
  const batches: Partial<Batches> = {
    async submit(_, { confirm }) {
      await confirm()
      seen.push('submitted')
      return 'batch_1'
    },
    find: async () => null,
  }
  const economy: Partial<BatchDeps['economy']> = {
    now: async () => createdAtMs + heldUpMs,
    change: async (_, { status }) => seen.push(status) > 0,
    dissolve: async () => void seen.push('gathered again'),
    sent: async () => [],
    refs: async () => [],
  }
  const losing = new AbortController()
  const deps = {
    ...{ economy, times, clock: systemClock, onError: () => {} },
    providers: new Map([['openai', { name: 'openai', batches }]]),
  } as unknown as BatchDeps
  const hand = {
    batch: { id: 'b', provider: 'openai', credential_id: null, created_at: createdAtMs },
    lease: { isCertain, lost: losing.signal },
    ...{ workerId: 'w', nowMs: createdAtMs + heldUpMs, signal: new AbortController().signal },
  } as unknown as Hand
  return { seen, losing, deps, hand }
}
type Worker = { heldUpMs: number; isCertain(): boolean }

function submission(worker: Partial<Worker>) {
  const { deps, hand, ...of } = setting(worker)
  return { ...of, end: submit(deps, hand, []) }
}

test('a worker that may have been replaced submits once its lease is sure, or not at all', async () => {
  const answers = [false, false, true]
  const delayed = submission({ isCertain: () => answers.shift() ?? true })
  await delayed.end
  assert.deepEqual(delayed.seen, ['submitted', 'SUBMITTED'])
  const replaced = submission({ isCertain: () => false })
  replaced.losing.abort(new LeaseLost('w'))
  await assert.rejects(replaced.end, LeaseLost)
  assert.deepEqual(replaced.seen, [])
})

test('a batch is not submitted when others may soon take it for not accepted', async () => {
  const late = submission({ heldUpMs: times.absentAfterMs / 2 + 1 })
  await late.end
  assert.deepEqual(late.seen, ['gathered again'])
})

test('a batch that its vendor does not list is gathered again, but not before it must be listed', async () => {
  const lookedFor = async (heldUpMs: number) => {
    const { seen, deps, hand } = setting({ heldUpMs })
    await lookFor(deps, hand)
    return seen
  }
  assert.deepEqual(await lookedFor(times.absentAfterMs - 1), ['SUBMITTING'])
  assert.deepEqual(await lookedFor(times.absentAfterMs), ['gathered again'])
})
