import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadPlan, LoadResult } from './load.ts'
import { load, median, startTarget, type Target } from './process.ts'
import type { Row } from './report.ts'

const path = '/api/ai-tools/v1/chat/completions'
const rounds = 4
const throughputRounds = 9
const json = { 'Content-Type': 'application/json' }
const messages = [{ role: 'user', content: 'Say hello to the people who read this.' }]
const body = JSON.stringify({ model: 'bench', messages })

/** Measures chats through Atelier with authentication, validation, metering and ledger enabled. */
export async function benchChat(dataDir: string): Promise<Row[]> {
  await using upstream = await startTarget('./targets/chat-upstream.ts')
  await using atelier = await startAtelier(dataDir, 'fast', upstream.url)
  await using bare = await startTarget('./targets/bare-chat.ts', [upstream.url])
  const common = { method: 'POST', body, connections: 64, seconds: 3, expectStatus: 200 }
  const through: LoadPlan = {
    ...common,
    url: atelier.url,
    path,
    headers: { ...json, ...atelier.headers },
  }
  const limit: LoadPlan = { ...common, url: bare.url, path: '/chat', headers: json }
  for (const plan of [through, limit]) await load({ ...plan, seconds: 4 })
  const speeds = { through: [] as number[], limit: [] as number[], ratio: [] as number[] }
  for (let round = 0; round < throughputRounds; round++) {
    const [a, b] = [(await load(through)).perSecond, (await load(limit)).perSecond]
    speeds.through.push(a)
    speeds.limit.push(b)
    // The ratio of adjacent measurements, because a machine's speed changes from minute to minute.
    speeds.ratio.push(a / b)
  }
  const ratio = median(speeds.ratio)
  const memory = await benchMemory(atelier, through)
  return [
    {
      name: 'chat, 64 connections, ledger on',
      value: `${Math.round(median(speeds.through))} req/s`,
      limit: `bare Fastify + undici ${Math.round(median(speeds.limit))} req/s`,
      ratio,
      goal: '≥ 0.75',
      isMet: ratio >= 0.75,
    },
    memory,
    await benchAddedLatency(join(dataDir, 'slow')),
  ]
}

async function startAtelier(dataDir: string, name: string, upstream: string) {
  const folder = join(dataDir, name)
  const models = join(dataDir, `${name}-models.json`)
  const file = {
    endpoints: [{ name: 'upstream', baseUrl: upstream }],
    models: [
      {
        id: 'bench',
        provider: 'upstream',
        kind: 'TEXT',
        pricing: { inputPerMillionTokens: 0.5, outputPerMillionTokens: 1.5 },
      },
    ],
  }
  writeFileSync(models, JSON.stringify(file))
  const env = { DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'error', MODELS_FILE: models }
  const target = await startTarget('./targets/atelier.ts', [], env)
  const key = readFileSync(join(folder, 'owner.key'), 'utf8').trim()
  return { ...target, headers: { Authorization: `Bearer ${key}` } }
}

async function rssMb({ child }: Target): Promise<number> {
  child.send('collect')
  const [reading] = (await once(child, 'message')) as [{ rssMb: number }]
  return reading.rssMb
}

async function benchMemory(target: Target, plan: LoadPlan): Promise<Row> {
  const { seconds: _, ...endless } = plan
  const readings: number[] = []
  for (let round = 0; round < 4; round++) {
    await load({ ...endless, requests: 50_000 })
    readings.push(await rssMb(target))
  }
  const first = readings[0] ?? 0
  const last = readings.at(-1) ?? 0
  return {
    name: 'memory over 200,000 chats',
    value: `RSS ${readings.map((mb) => Math.round(mb)).join(', ')} MB after each 50,000, collected`,
    limit: '',
    ratio: last / first,
    goal: 'flat (≤ 1.15)',
    isMet: last / first <= 1.15,
  }
}

async function benchAddedLatency(dataDir: string): Promise<Row> {
  const { mkdirSync } = await import('node:fs')
  mkdirSync(dataDir, { recursive: true })
  await using upstream = await startTarget('./targets/chat-upstream.ts', ['50'])
  await using atelier = await startAtelier(dataDir, 'latency', upstream.url)
  const common = { method: 'POST', body, connections: 64, expectStatus: 200 }
  const direct: LoadPlan = {
    ...common,
    url: upstream.url,
    path: '/chat/completions',
    headers: json,
  }
  const through: LoadPlan = {
    ...common,
    url: atelier.url,
    path,
    headers: { ...json, ...atelier.headers },
  }
  // Warm-up at full speed: after some thousands of requests the code is fully optimised.
  for (const plan of [through, direct]) await load({ ...plan, seconds: 4 })
  const paced = { perSecond: 200, seconds: 4 }
  const seen = { direct: [] as LoadResult[], through: [] as LoadResult[] }
  for (let round = 0; round < rounds; round++) {
    seen.direct.push(await load({ ...direct, ...paced }))
    seen.through.push(await load({ ...through, ...paced }))
  }
  const middle = (results: LoadResult[]) => ({
    p50Ms: median(results.map((result) => result.p50Ms)),
    p99Ms: median(results.map((result) => result.p99Ms)),
  })
  const [a, b] = [middle(seen.direct), middle(seen.through)]
  const addedMs = b.p50Ms - a.p50Ms
  return {
    name: 'chat, 50 ms upstream, 200 req/s: added at p50',
    value: `${addedMs.toFixed(2)} ms (p50 ${b.p50Ms.toFixed(2)}, p99 ${b.p99Ms.toFixed(2)})`,
    limit: `direct p50 ${a.p50Ms.toFixed(2)} ms, p99 ${a.p99Ms.toFixed(2)} ms`,
    ratio: null,
    goal: '≤ 1 ms',
    isMet: addedMs <= 1,
  }
}
