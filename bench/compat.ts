import { setTimeout as delay } from 'node:timers/promises'
import { type Measured, measure, startAtelier } from './chat.ts'
import type { LoadPlan } from './load.ts'
import { load, median, startTarget } from './process.ts'
import type { Row } from './report.ts'

const rounds = 9
const idleMs = 5_000
const words = 'Say hello to the people who read this.'
const messages = [{ role: 'user', content: words }]

const own = { path: '/api/ai-tools/v1/chat/completions', body: { model: 'bench', messages } }

/** The same chat in the forms of other vendors. */
const forms = {
  OpenAI: { path: '/v1/chat/completions', body: own.body },
  'OpenAI’s Responses, not kept': {
    path: '/v1/responses',
    body: { model: 'bench', input: words, store: false },
  },
  Anthropic: { path: '/v1/messages', body: { ...own.body, max_tokens: 100 } },
  Google: {
    path: '/v1beta/models/bench:generateContent',
    body: { contents: [{ role: 'user', parts: [{ text: words }] }] },
  },
}

/** The processor time of one chat through each compatible API, beside the own operation. */
export async function benchCompat(dataDir: string): Promise<Row[]> {
  await using upstream = await startTarget('./targets/chat-upstream.ts')
  await using atelier = await startAtelier(dataDir, 'compat', upstream.url)
  const planOf = ({ path, body }: { path: string; body: object }): LoadPlan => ({
    method: 'POST',
    url: atelier.url,
    path,
    headers: { 'Content-Type': 'application/json', ...atelier.headers },
    body: JSON.stringify(body),
    connections: 64,
    requests: 20_000,
    expectStatus: 200,
  })
  const plans = Object.entries({ own, ...forms }).map(([name, form]) => ({
    name,
    plan: planOf(form),
    measured: [] as Measured[],
  }))
  await delay(idleMs)
  for (const { plan } of plans) await load(plan)
  // In turns, because a machine's speed changes from minute to minute.
  for (let round = 0; round < rounds; round++) {
    for (const { plan, measured } of plans) measured.push(await measure(atelier, plan))
  }
  const [first, ...others] = plans
  const ownUs = first?.measured.map(({ cpuUs }) => cpuUs) ?? []
  return others.map(({ name, measured }): Row => {
    const ratio = median(measured.map(({ cpuUs }, round) => cpuUs / (ownUs[round] ?? Number.NaN)))
    return {
      name: `chat in the form of ${name}, processor time of one, after ${idleMs / 1000} s idle`,
      value: `${median(measured.map(({ cpuUs }) => cpuUs)).toFixed(1)} µs`,
      limit: `own operation ${median(ownUs).toFixed(1)} µs`,
      ratio,
      goal: '≤ 1.15',
      isMet: ratio <= 1.15,
    }
  })
}
