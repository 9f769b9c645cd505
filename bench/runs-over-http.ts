import { type Api, openApi } from './api.ts'
import { startTarget } from './process.ts'
import type { Effort, Row } from './report.ts'

const connections = 64
const pageSize = 200

type Graph = { nodes: object[]; connections: object[] }

/** Submits runs over HTTP and measures until all are COMPLETED; SQLite, one process. */
export async function benchRunsOverHttp(dataDir: string, effort: Effort): Promise<Row[]> {
  await using host = await startTarget('./targets/json-route.ts')
  const env = { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'error', OUTBOUND_ALLOW: '127.0.0.1/32' }
  await using atelier = await startTarget('./targets/atelier.ts', [], env)
  await using api = openApi(atelier.url, dataDir, connections)
  const rows: Row[] = []
  for (const { name, graph, goal } of [
    { name: 'five local steps', graph: localSteps(5), goal: 2_000 },
    { name: 'three http.request nodes', graph: requests(3, host.url), goal: 700 },
  ]) {
    const add = async () => (await api.post('/workflows', { name, data: graph })).id
    await drive(api, await add(), effort === 'quick' ? 0.2 : 1)
    const perSecond = await drive(api, await add(), effort === 'quick' ? 1 : 6)
    rows.push({
      name: `runs over HTTP, ${connections} connections, ${name}`,
      value: `${Math.round(perSecond)} runs/s`,
      limit: '',
      ratio: perSecond / goal,
      goal: `≥ ${goal}/s`,
      isMet: perSecond >= goal,
    })
  }
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

async function drive(api: Api, workflowId: number, forSeconds: number): Promise<number> {
  const startedAt = performance.now()
  let count = 0
  const client = async () => {
    while (performance.now() - startedAt < forSeconds * 1000) {
      await api.post(`/workflows/${workflowId}/runs`, {}, `key ${count++}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, client))
  await allCompleted(api, workflowId, count)
  return (count / (performance.now() - startedAt)) * 1000
}

/** Runs of one account end almost in order, so polling starts with the newest page. */
async function allCompleted(api: Api, workflowId: number, count: number) {
  for (let page = 1; (page - 1) * pageSize < count; page++) {
    for (;;) {
      const path = `/workflows/${workflowId}/runs?size=${pageSize}&page=${page}`
      const { items, total } = await api.get(path)
      if (total !== count) throw new Error(`${count} runs were submitted, ${total} are listed`)
      const failed = items.find((run) => run.status === 'FAILED' || run.status === 'CANCELLED')
      if (failed) throw new Error(`run ${failed.runId} is ${failed.status}`)
      if (items.every((run) => run.status === 'COMPLETED')) break
    }
  }
}
