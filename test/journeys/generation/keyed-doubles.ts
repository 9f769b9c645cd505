// A provider with three keys, each of them at a double of its own that counts what it would bill.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { Random } from '../../simulation/random.ts'
import { startDouble } from '../../support/provider-doubles/double.ts'
import type { Double } from '../../support/provider-doubles/double-state.ts'
import { wires } from '../../support/provider-doubles/wires.ts'
import { faults } from './faulty-routes.ts'
import { attempts, type Bench, type BenchOptions, newCustomer, openBench, says } from './setting.ts'

export type Keys = Record<'a' | 'b' | 'c', Double>

/** The model `keyed/text`, and the video `keyed/video`. */
export const keyedModels = [
  {
    ...{ id: 'keyed/text', provider: 'keyed', kind: 'TEXT', providerModel: 'big' },
    pricing: { inputPerMillionTokens: 2, outputPerMillionTokens: 8 },
  },
  { id: 'keyed/video', provider: 'keyed', kind: 'VIDEO', pricing: { perSecond: 1 } },
]

export async function openKeys(
  t: Pick<TestContext, 'after'>,
  options: BenchOptions = {},
): Promise<{ bench: Bench; keys: Keys }> {
  const start = async () => {
    const double = await startDouble(wires.openai, { key: `key-${randomUUID()}` })
    t.after(double.close)
    return double
  }
  const keys: Keys = { a: await start(), b: await start(), c: await start() }
  const deployments = Object.entries(keys).map(([name, { key, url }]) => ({
    ...{ provider: 'keyed', name, baseUrl: url, apiKey: key },
  }))
  const file = {
    endpoints: [{ name: 'keyed', baseUrl: keys.a.url }],
    ...{ models: keyedModels, deployments },
  }
  const bench = await openBench(t, { ...options, models: file })
  return { bench, keys }
}

/** The clock of the pauses after a 429 does not jump. */
const brief = faults.map((fault) =>
  fault.do === 'refuse' && fault.status === 429
    ? { ...fault, headers: { 'retry-after': '0' } }
    : fault,
)

const acceptedBy = (keys: Keys) =>
  Object.values(keys).reduce((sum, { counts }) => sum + counts.accepted, 0)

/** Calls at keys that refuse, cut, babble and break off. No call may be paid twice. */
export async function callFaultyKeys(
  { bench, keys }: { bench: Bench; keys: Keys },
  calls: number,
  chance: Random,
) {
  const { key, accountId } = await newCustomer(bench)
  for (let call = 0; call < calls; call++) {
    const before = acceptedBy(keys)
    for (const double of Object.values(keys)) double.always('chat', chance.pick(brief))
    const stream = chance.chance(0.5)
    await bench.call({
      ...{ method: 'POST', path: '/v1/chat/completions', key },
      json: { model: 'keyed/text', stream, messages: [says(`Call ${call}`)] },
    })
    const paid = acceptedBy(keys) - before
    assert.ok(paid <= 1, `call ${call} was accepted ${paid} times`)
    // Keys that keep failing, or are refused, would let nothing through.
    bench.clock.advance(3_700_000)
  }
  const rows = (await attempts(bench)).filter((row) => row.account_id === accountId)
  assert.ok(rows.every(({ outcome }) => outcome !== 'PENDING'))
  for (const [name, { counts }] of Object.entries(keys)) {
    const own = rows.filter(({ via }) => JSON.parse(via ?? '{}').deployment === name)
    const succeeded = own.filter(({ outcome }) => outcome === 'SUCCEEDED').length
    const counted = own.filter(({ outcome }) => outcome !== 'REJECTED').length
    assert.ok(succeeded <= counts.accepted, `the ledger has calls that ${name} did not accept`)
    assert.ok(counted >= counts.accepted, `a call that ${name} accepted is not in the ledger`)
  }
  const moved = rows.filter(({ via }) => JSON.parse(via ?? '{}').number > 1).length
  return { calls, moved, billed: acceptedBy(keys), rows: rows.length }
}
