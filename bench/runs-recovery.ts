import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { startPostgres } from '../test/support/postgres-server.ts'
import { openApi, submitRuns } from './api.ts'
import { startTarget, type Target } from './process.ts'
import type { Effort, Row } from './report.ts'

const leaseMs = 5_000
const goals = { restartMs: 250, peerMs: leaseMs + 1_500 }

/** A run counts as resumed once the call that was interrupted by the kill is repeated. */
export async function benchRunsRecovery(dataDir: string, effort: Effort): Promise<Row[]> {
  const count = effort === 'quick' ? 20 : 500
  return [
    await restart(join(dataDir, 'sqlite'), count),
    await peerTakesOver(join(dataDir, 'postgres'), count),
  ]
}

async function restart(dataDir: string, count: number): Promise<Row> {
  await using host = await startHost()
  const env = environment(dataDir, count)
  await using first = await startTarget('./targets/atelier.ts', [], env)
  await fill(first.url, dataDir, host, count)
  await kill(first)
  const startedAt = performance.now()
  const resumed = host.again(count)
  await using _second = await startTarget('./targets/atelier.ts', [], env)
  const readyAt = performance.now()
  const { firstAt, lastAt } = await resumed
  const [firstMs, lastMs] = [firstAt - readyAt, lastAt - readyAt]
  return {
    name: `sqlite: killed with ${count} runs in flight, restarted: the last one resumed`,
    value: `${Math.round(lastMs)} ms after the process is ready (first ${Math.round(firstMs)} ms)`,
    limit: `ready ${Math.round(readyAt - startedAt)} ms after its start`,
    ratio: lastMs / goals.restartMs,
    goal: `≤ ${goals.restartMs} ms`,
    isMet: lastMs <= goals.restartMs,
  }
}

async function peerTakesOver(dataDir: string, count: number): Promise<Row> {
  await using host = await startHost()
  const server = await startPostgres({ fsync: 'on' })
  await using closing = new AsyncDisposableStack()
  closing.defer(server.stop)
  const env = { ...environment(dataDir, count), DATABASE_URL: server.url }
  const start = async (role: string) =>
    closing.use(await startTarget('./targets/atelier.ts', [], { ...env, ROLE: role }))
  const api = await start('api')
  const victim = await start('worker')
  await fill(api.url, dataDir, host, count)
  await start('worker')
  const resumed = host.again(count)
  const killedAt = performance.now()
  await kill(victim)
  const { firstAt, lastAt } = await resumed
  const [firstMs, lastMs] = [firstAt - killedAt, lastAt - killedAt]
  return {
    name: `postgres: a worker killed with ${count} runs in flight: a peer resumed the last one`,
    value: `${Math.round(lastMs)} ms after the kill (first ${Math.round(firstMs)} ms)`,
    limit: `lease ${leaseMs} ms`,
    ratio: lastMs / goals.peerMs,
    goal: `≤ ${goals.peerMs} ms`,
    isMet: lastMs <= goals.peerMs,
  }
}

const environment = (dataDir: string, count: number) => ({
  DATA_DIR: dataDir,
  PORT: '0',
  LOG_LEVEL: 'error',
  OUTBOUND_ALLOW: '127.0.0.1/32',
  LEASE_SECONDS: String(leaseMs / 1000),
  MAX_ACTIVE_RUNS: String(count),
})

async function kill({ child }: Target) {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** Starts `count` runs that wait for the host's answer. */
async function fill(url: string, dataDir: string, host: Host, count: number) {
  await using api = openApi(url, dataDir, 64)
  const nodes = [
    { id: 'in', type: 'input.json', data: {} },
    { id: 'get', type: 'http.request', data: { url: `${host.url}/{{n}}`, timeoutMs: 30_000 } },
  ]
  const connections = [{ source: 'in', target: 'get', targetHandle: 'vars' }]
  const workflow = await api.post('/workflows', { name: 'held', data: { nodes, connections } })
  const all = host.once(count)
  await submitRuns(api, workflow.id, count, (n) => ({ inputs: { in: { n } } }))
  await all
}

type Arrivals = { firstAt: number; lastAt: number }
type Host = AsyncDisposable & {
  url: string
  /** Resolves after this many first requests, which are not answered. */
  once(count: number): Promise<Arrivals>
  /** Resolves after this many second requests to the same address, which are answered. */
  again(count: number): Promise<Arrivals>
}

async function startHost(): Promise<Host> {
  const held = new Map<string, ServerResponse>()
  const seen = { once: [] as number[], again: [] as number[] }
  const heard = new Set<() => void>()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const isFirst = !held.has(path)
    seen[isFirst ? 'once' : 'again'].push(performance.now())
    if (isFirst) held.set(path, response)
    else response.end('"again"')
    for (const look of heard) look()
  })
  const arrivals = (list: readonly number[]) => (count: number) =>
    new Promise<Arrivals>((resolve) => {
      const look = () => {
        const [firstAt, lastAt] = [list[0], list[count - 1]]
        if (firstAt === undefined || lastAt === undefined) return
        heard.delete(look)
        resolve({ firstAt, lastAt })
      }
      heard.add(look)
      look()
    })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    once: arrivals(seen.once),
    again: arrivals(seen.again),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
