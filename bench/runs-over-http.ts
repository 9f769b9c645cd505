import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Pool } from 'undici'
import { startTarget } from './process.ts'
import type { Row } from './report.ts'

const prefix = '/api/ai-tools/v1'
const connections = 64
const seconds = 6

type Graph = { nodes: object[]; connections: object[] }

/** Runs submitted over sockets and counted when all of them are COMPLETED; SQLite, one process. */
export async function benchRunsOverHttp(dataDir: string): Promise<Row[]> {
  await using host = await startTarget('./targets/json-route.ts')
  const env = { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'error', OUTBOUND_ALLOW: '127.0.0.1/32' }
  await using atelier = await startTarget('./targets/atelier.ts', [], env)
  const key = readFileSync(join(dataDir, 'owner.key'), 'utf8').trim()
  const pool = new Pool(atelier.url, { connections, pipelining: 1 })
  const call = caller(pool, key)
  const rows: Row[] = []
  for (const { name, graph, goal } of [
    { name: 'five local steps', graph: localSteps(5), goal: 2_000 },
    { name: 'three http.request nodes', graph: requests(3, host.url), goal: 700 },
  ]) {
    const workflow = await call('POST', '/workflows', { name, data: graph })
    await drive(call, workflow.data.id, 1)
    const perSecond = await drive(call, workflow.data.id, seconds)
    rows.push({
      name: `runs over HTTP, ${connections} connections, ${name}`,
      value: `${Math.round(perSecond)} runs/s`,
      limit: '',
      ratio: perSecond / goal,
      goal: `≥ ${goal}/s`,
      isMet: perSecond >= goal,
    })
  }
  await pool.close()
  return rows
}

function localSteps(count: number): Graph {
  const nodes: object[] = [{ id: 'n0', type: 'input.text', data: { default: 'x' } }]
  const connections: object[] = []
  for (let i = 1; i <= count; i++) {
    nodes.push({ id: `n${i}`, type: 'text.template', data: { template: '{{x}}.' } })
    connections.push({ source: `n${i - 1}`, target: `n${i}`, targetHandle: 'x' })
  }
  return { nodes, connections }
}

function requests(count: number, url: string): Graph {
  const nodes: object[] = []
  const connections: object[] = []
  for (let i = 0; i < count; i++) {
    nodes.push({ id: `h${i}`, type: 'http.request', data: { url: `${url}/` } })
    if (i > 0) connections.push({ source: `h${i - 1}`, target: `h${i}`, targetHandle: 'vars' })
  }
  return { nodes, connections }
}

type Answer = { data: { id: number; runId: string; status: string } }
type Caller = (method: 'GET' | 'POST', path: string, json?: object, key?: string) => Promise<Answer>

const caller =
  (pool: Pool, apiKey: string): Caller =>
  async (method, path, json, key) => {
    const { statusCode, body } = await pool.request({
      method,
      path: prefix + path,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(json ? { 'content-type': 'application/json' } : {}),
        ...(key ? { 'idempotency-key': key } : {}),
      },
      body: json ? JSON.stringify(json) : null,
    })
    const answer = await body.text()
    if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${answer}`)
    return JSON.parse(answer) as Answer
  }

let next = 0

async function drive(call: Caller, workflowId: number, forSeconds: number): Promise<number> {
  const startedAt = performance.now()
  let count = 0
  const last = new Map<number, string>()
  const lane = async (_: unknown, index: number) => {
    while (performance.now() - startedAt < forSeconds * 1000) {
      const { data } = await call('POST', `/workflows/${workflowId}/runs`, {}, `key ${next++}`)
      last.set(index, data.runId)
      count++
    }
  }
  await Promise.all(Array.from({ length: connections }, lane))
  // Runs of one account end nearly in order: the last ones tell.
  for (const runId of last.values()) {
    for (;;) {
      const { data } = await call('GET', `/workflow-runs/${runId}`)
      if (data.status === 'COMPLETED') break
      if (data.status === 'FAILED') throw new Error(`run ${runId} failed`)
    }
  }
  return (count / (performance.now() - startedAt)) * 1000
}
