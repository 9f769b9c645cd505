// Random calls over random routes, at doubles that refuse, cut, babble and break off, and what must
// hold of their money: what the vendors count is what the ledger has, and no call is paid twice.
import assert from 'node:assert/strict'
import type { Random } from '../../simulation/random.ts'
import type { Behaviour } from '../../support/provider-doubles/behaviour.ts'
import { attempts, type Bench, newCustomer, says, testModels } from './setting.ts'

const vendors = ['openai', 'anthropic', 'gemini'] as const
const modelOf = {
  openai: 'test/text',
  anthropic: 'anthropic/claude-haiku-5-5',
  gemini: 'gemini/gemini-3.5-flash-lite',
}

export const faultyOptions = { doubles: vendors, models: testModels } as const

export const faults: Behaviour[] = [
  { do: 'answer' },
  { do: 'answer' },
  { do: 'answer' },
  { do: 'refuse', status: 429 },
  { do: 'refuse', status: 503 },
  { do: 'refuse', status: 500 },
  { do: 'refuse', status: 404 },
  { do: 'refuse', status: 401 },
  { do: 'refuse', status: 400, message: 'maximum context length is 10 tokens' },
  { do: 'cut', when: 'before-reading' },
  { do: 'cut', when: 'before-accepting' },
  { do: 'cut', when: 'after-accepting' },
  { do: 'cut', when: 'mid-answer' },
  { do: 'babble', as: 'html' },
  { do: 'babble', as: 'wrong-shape' },
  { do: 'break', after: 1, by: 'cut' },
  { do: 'break', after: 2, by: 'error' },
]

const reasons = ['connect', 'rate_limit', 'unavailable', 'context', 'content', 'timeout']

export async function callFaulty(bench: Bench, calls: number, chance: Random) {
  const models = Object.values(modelOf)
  const { key, accountId, ask } = await newCustomer(bench)
  const routes = Array.from({ length: 12 }, (_, index) => `r${index}`)
  for (const [index, name] of routes.entries()) {
    // Every third route moves whenever it may, so that enough calls do.
    const moves = index % 3 === 0
    const candidates = models
      .toSorted(() => chance.next() - 0.5)
      .slice(0, moves ? 3 : chance.pick([1, 2, 3, 3, 3]))
      .map((model) => ({ model }))
    const on = reasons.filter(() => moves || chance.chance(0.7))
    await ask('PUT', `/routes/${name}`, {
      candidates,
      on,
      sort: chance.pick(['order', 'price', 'latency']),
    })
  }
  let moved = 0
  for (let call = 0; call < calls; call++) {
    const before = acceptedOf(bench)
    for (const vendor of vendors) bench.doubles[vendor].always('chat', chance.pick(faults))
    const stream = chance.chance(0.5)
    const model = `route:${chance.pick(routes)}`
    const answer = await bench.call({
      ...{ method: 'POST', path: '/v1/chat/completions', key },
      json: { model, stream, messages: [says(`Call ${call}`)] },
    })
    const paid = acceptedOf(bench) - before
    assert.ok(paid <= 1, `call ${call} was accepted ${paid} times`)
    if (String(answer.headers['x-atelier-attempts']).includes(',')) moved++
    // The breakers of a double that keeps failing would let nothing through.
    bench.clock.advance(120_000)
  }
  const rows = (await attempts(bench)).filter((row) => row.account_id === accountId)
  const counted = (row: (typeof rows)[number]) => row.outcome !== 'REJECTED'
  const billed = acceptedOf(bench)
  const known = rows.filter(({ outcome }) => outcome === 'SUCCEEDED').length
  assert.ok(rows.every(({ outcome }) => outcome !== 'PENDING'))
  // Nobody knows of some whether they were accepted; they count.
  assert.ok(rows.filter(counted).length >= billed, 'a call that was billed is not in the ledger')
  assert.ok(known <= billed, 'the ledger has calls that nobody made')
  return { calls, moved, billed, rows: rows.length }
}

const acceptedOf = ({ doubles }: Bench): number =>
  vendors.reduce((sum, vendor) => sum + doubles[vendor].counts.accepted, 0)
