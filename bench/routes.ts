import { setTimeout as delay } from 'node:timers/promises'
import { measure, startAtelier } from './chat.ts'
import type { LoadPlan } from './load.ts'
import { load, median, startTarget } from './process.ts'
import type { Row } from './report.ts'

const rounds = 9

/** What a route adds to a chat, if it has one candidate and nothing to choose. */
export async function benchRoutes(dataDir: string): Promise<Row[]> {
  await using upstream = await startTarget('./targets/chat-upstream.ts')
  const routes = [{ name: 'one', candidates: [{ model: 'bench' }] }]
  await using atelier = await startAtelier(dataDir, 'routed', upstream.url, { routes })
  const planOf = (model: string): LoadPlan => ({
    ...{ method: 'POST', url: atelier.url, path: '/api/ai-tools/v1/chat/completions' },
    headers: { 'Content-Type': 'application/json', ...atelier.headers },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello.' }] }),
    ...{ connections: 64, requests: 20_000, expectStatus: 200 },
  })
  const [named, routed] = [planOf('bench'), planOf('route:one')]
  await delay(5_000)
  for (const plan of [named, routed]) await load({ ...plan, requests: 40_000 })
  const seen: { namedUs: number; routedUs: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const { cpuUs: namedUs } = await measure(atelier, named)
    seen.push({ namedUs, routedUs: (await measure(atelier, routed)).cpuUs })
  }
  const ratio = median(seen.map(({ namedUs, routedUs }) => routedUs / namedUs))
  return [
    {
      name: 'chat over a route with one candidate, processor time of one',
      value: `${median(seen.map(({ routedUs }) => routedUs)).toFixed(1)} µs`,
      limit: `without a route ${median(seen.map(({ namedUs }) => namedUs)).toFixed(1)} µs`,
      ratio,
      goal: '≤ 1.05',
      isMet: ratio <= 1.05,
    },
  ]
}
