import { readFileSync } from 'node:fs'
import { request } from 'undici'
import { load, median, startTarget } from './process.ts'
import type { Row } from './report.ts'

const P = '/api/ai-tools/v1'
const rounds = 3

/** Compares an authenticated GET and a rejected request with a bare Fastify route. */
export async function benchRequestPath(dataDir: string): Promise<Row[]> {
  await using atelier = await startTarget('./targets/atelier.ts', [], {
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'error',
    RATE_LIMIT_IP: '0',
  })
  const key = readFileSync(`${dataDir}/owner.key`, 'utf8').trim()
  const authorization = `Bearer ${key}`
  const models = await (
    await request(`${atelier.url}${P}/models`, { headers: { authorization } })
  ).body.text()
  await using bare = await startTarget('./targets/bare-route.ts', [models])
  const common = { method: 'GET', headers: {}, connections: 64, seconds: 3 }
  const plans = {
    bare: { ...common, url: bare.url, path: '/models', expectStatus: 200 },
    atelier: {
      ...common,
      url: atelier.url,
      path: `${P}/models`,
      headers: { Authorization: authorization },
      expectStatus: 200,
    },
    bareRefused: { ...common, url: bare.url, path: '/refused', expectStatus: 401 },
    atelierRefused: { ...common, url: atelier.url, path: `${P}/models`, expectStatus: 401 },
  }
  const results: Record<string, Awaited<ReturnType<typeof load>>[]> = {}
  for (const plan of Object.values(plans)) await load({ ...plan, seconds: 1 })
  for (let round = 0; round < rounds; round++) {
    for (const [name, plan] of Object.entries(plans)) {
      results[name] = [...(results[name] ?? []), await load(plan)]
    }
  }
  const speed = (name: string) => median((results[name] ?? []).map((r) => r.perSecond))
  const p50 = (name: string) => median((results[name] ?? []).map((r) => r.p50Ms))
  const p99 = (name: string) => median((results[name] ?? []).map((r) => r.p99Ms))
  return [
    {
      name: 'authenticated GET /models, 64 connections',
      value: `${Math.round(speed('atelier'))} req/s, p50 ${p50('atelier').toFixed(2)} ms, p99 ${p99('atelier').toFixed(2)} ms`,
      limit: `bare Fastify route ${Math.round(speed('bare'))} req/s`,
      ratio: speed('atelier') / speed('bare'),
      goal: '≥ 0.8',
      isMet: speed('atelier') / speed('bare') >= 0.8,
    },
    {
      name: 'request without a credential (401)',
      value: `${Math.round(speed('atelierRefused'))} req/s, p50 ${p50('atelierRefused').toFixed(2)} ms`,
      limit: `bare Fastify 401 ${Math.round(speed('bareRefused'))} req/s`,
      ratio: speed('atelierRefused') / speed('bareRefused'),
      goal: '',
      isMet: null,
    },
  ]
}
