import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { LoadPlan, LoadResult } from './load.ts'
import { load, median, startTarget, type Target } from './process.ts'
import type { Effort, Row } from './report.ts'

const path = '/api/ai-tools/v1/chat/completions'
const rounds = 4
const throughputRounds = { quick: 1, short: 5, full: 9 }
const json = { 'Content-Type': 'application/json' }
const messages = [{ role: 'user', content: 'Say hello to the people who read this.' }]
const body = JSON.stringify({ model: 'bench', messages })

/** A server gives back memory when it is idle for the first time; chats after that are measured. */
const idleMs = 5_000

/** Measures chats through Atelier with authentication, validation, metering and ledger enabled. */
export async function benchChat(dataDir: string, effort: Effort): Promise<Row[]> {
  await using upstream = await startTarget('./targets/chat-upstream.ts')
  await using atelier = await startAtelier(dataDir, 'fast', upstream.url)
  await using bare = await startTarget('./targets/bare-chat.ts', [upstream.url])
  const common = { method: 'POST', body, connections: 64, requests: 20_000, expectStatus: 200 }
  const headers = { ...json, ...atelier.headers }
  const through: LoadPlan = { ...common, url: atelier.url, path, headers }
  const openAi: LoadPlan = { ...through, path: '/v1/chat/completions' }
  const limit: LoadPlan = { ...common, url: bare.url, path: '/chat', headers: json }
  await delay(idleMs)
  for (const plan of [through, openAi, limit]) await load({ ...plan, requests: 40_000 })
  const rounds: Record<'through' | 'openAi' | 'limit', Measured>[] = []
  // Next to each other in every round, because a machine's speed changes from minute to minute.
  for (let round = 0; round < throughputRounds[effort]; round++) {
    rounds.push({
      through: await measure(atelier, through),
      limit: await measure(bare, limit),
      openAi: await measure(atelier, openAi),
    })
  }
  const middle = (of: (round: (typeof rounds)[number]) => number) => median(rounds.map(of))
  const ratio = middle((round) => round.through.perSecond / round.limit.perSecond)
  const bareUs = middle((round) => round.limit.cpuUs).toFixed(1)
  const cpuRow = (name: string, plan: 'through' | 'openAi', least: number): Row => {
    const share = middle((round) => round.limit.cpuUs / round[plan].cpuUs)
    return {
      name: `${name}, processor time of one, after ${idleMs / 1000} s idle`,
      value: `${middle((round) => round[plan].cpuUs).toFixed(1)} µs`,
      limit: `bare Fastify + undici ${bareUs} µs`,
      ratio: share,
      goal: `≥ ${least}`,
      isMet: share >= least,
      measures: { µs: middle((round) => round[plan].cpuUs) },
    }
  }
  const rows: Row[] = [
    {
      name: `chat, 64 connections, ledger on, after ${idleMs / 1000} s idle`,
      value: `${Math.round(middle((round) => round.through.perSecond))} req/s`,
      limit: `bare Fastify + undici ${Math.round(middle((round) => round.limit.perSecond))} req/s`,
      ratio,
      goal: '≥ 0.75',
      isMet: ratio >= 0.75,
      measures: { 'req/s': middle((round) => round.through.perSecond) },
    },
    cpuRow('chat', 'through', 0.9),
    cpuRow('chat through the OpenAI-compatible API', 'openAi', 0.79),
  ]
  if (effort !== 'full') return rows
  return [
    ...rows,
    await benchMemory(atelier, through),
    await benchAddedLatency(join(dataDir, 'slow')),
  ]
}

export type Measured = { perSecond: number; cpuUs: number }

/** Processor time of all threads of the server; it depends less on what else the machine does. */
export async function measure(target: Target, plan: LoadPlan): Promise<Measured> {
  const before = await ask(target, 'cpu')
  const { perSecond, requests } = await load(plan)
  return { perSecond, cpuUs: ((await ask(target, 'cpu')) - before) / requests }
}

async function ask({ child }: Target, what: 'cpu' | 'collected memory'): Promise<number> {
  child.send(what)
  const [reading] = (await once(child, 'message')) as [number]
  return reading
}

/** `more`: further parts of MODELS_FILE. */
export async function startAtelier(
  dataDir: string,
  name: string,
  upstream: string,
  more: object = {},
) {
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
    ...more,
  }
  writeFileSync(models, JSON.stringify(file))
  const env = { DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'error', MODELS_FILE: models }
  const target = await startTarget('./targets/atelier.ts', [], env)
  const key = readFileSync(join(folder, 'owner.key'), 'utf8').trim()
  return { ...target, headers: { Authorization: `Bearer ${key}` } }
}

async function benchMemory(target: Target, plan: LoadPlan): Promise<Row> {
  const readings: number[] = []
  for (let round = 0; round < 4; round++) {
    await load({ ...plan, requests: 50_000 })
    readings.push((await ask(target, 'collected memory')) / 2 ** 20)
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
