import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '#core/clock.ts'
import { uuidV7 } from '#core/ids.ts'
import { keepLease } from '#engine/lease-keeper.ts'
import { type RunWorkerOptions, startRunWorker } from '#engine/runs/run-worker.ts'
import { createRunIntake, type Intake } from '#operations/runs/run-intake.ts'
import { createCatalogue } from '#providers/catalogue.ts'
import type { Db } from '#store/db.ts'
import { migrate } from '#store/migrate.ts'
import { openPostgres } from '#store/postgres.ts'
import { openSqlite } from '#store/sqlite.ts'
import { insertWorkflow } from '#store/workflows.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import type { Row } from './report.ts'

const migrations = fileURLToPath(new URL('../src/store/migrations', import.meta.url))
const seconds = 5

type Goal = {
  steps: number
  inFlight: number
  perSecond: number | null
  p50p99: [number, number] | null
}

const goals: Record<Db['kind'], Goal[]> = {
  sqlite: [
    { steps: 1, inFlight: 50, perSecond: 10_000, p50p99: null },
    { steps: 1, inFlight: 500, perSecond: 10_000, p50p99: null },
    { steps: 10, inFlight: 50, perSecond: 4_000, p50p99: null },
    { steps: 10, inFlight: 500, perSecond: 4_000, p50p99: null },
    { steps: 10, inFlight: 1, perSecond: null, p50p99: [3, 10] },
  ],
  postgres: [
    { steps: 1, inFlight: 50, perSecond: null, p50p99: null },
    { steps: 1, inFlight: 500, perSecond: 5_000, p50p99: null },
    { steps: 10, inFlight: 50, perSecond: null, p50p99: null },
    { steps: 10, inFlight: 500, perSecond: 1_600, p50p99: null },
    { steps: 10, inFlight: 1, perSecond: null, p50p99: [15, 40] },
  ],
}

/** Trivial recorded steps: what the engine and the store cost by themselves, submission included. */
export async function benchRuns(dataDir: string): Promise<Row[]> {
  const rows = await measure(openSqlite({ path: join(dataDir, 'runs.db') }))
  const server = await startPostgres({ fsync: 'on' })
  try {
    rows.push(...(await measure(openPostgres({ url: server.url, poolSize: 10 }))))
  } finally {
    await server.stop()
  }
  return rows
}

async function measure(db: Db): Promise<Row[]> {
  await migrate(db, migrations)
  const ends = new Map<string, () => void>()
  const keeper = await keepLease(db, { leaseMs: 30_000, onError: console.error, onReleased() {} })
  const worker = await startRunWorker(options(db, keeper, ends))
  const intake = createRunIntake({
    db,
    clock: systemClock,
    maxQueued: 10_000,
    queueTimeoutMs: 3_600_000,
  })
  const rows: Row[] = []
  for (const goal of goals[db.kind]) {
    await drive(db, ends, intake, { ...goal, forMs: 1_000 })
    const { count, elapsedMs, latencies } = await drive(db, ends, intake, {
      ...goal,
      forMs: seconds * 1_000,
    })
    const perSecond = (count / elapsedMs) * 1000
    const at = (q: number) => latencies[Math.floor(latencies.length * q)] ?? 0
    const [p50, p99] = [at(0.5), at(0.99)]
    const isMet =
      goal.perSecond !== null
        ? perSecond >= goal.perSecond
        : goal.p50p99 && p50 <= goal.p50p99[0] && p99 <= goal.p50p99[1]
    rows.push({
      name: `${db.kind}: ${goal.steps}-step runs, ${goal.inFlight} in flight`,
      value: `${Math.round(perSecond)} runs/s, p50/p99 ${p50.toFixed(1)}/${p99.toFixed(1)} ms`,
      limit: '',
      ratio: goal.perSecond === null ? null : perSecond / goal.perSecond,
      goal: goal.perSecond
        ? `≥ ${goal.perSecond}/s`
        : goal.p50p99
          ? `≤ ${goal.p50p99.join('/')} ms`
          : '',
      isMet,
    })
  }
  await worker.stop()
  await keeper.release()
  await db.close()
  return rows
}

const catalogue = createCatalogue([
  {
    model: {
      id: 'm',
      name: 'm',
      provider: 'none',
      kind: 'TEXT',
      description: '',
      enabled: true,
      capabilities: { inputModalities: ['text'] },
      pricing: null,
    },
    provider: 'none',
    providerModel: 'm',
    fallbacks: [],
  },
])

function options(
  db: Db,
  keeper: RunWorkerOptions['keeper'],
  ends: Map<string, () => void>,
): RunWorkerOptions {
  const absent = () => Promise.reject(new Error('not in this bench'))
  return {
    db,
    clock: systemClock,
    keeper,
    parts: {
      catalogue,
      generateText: async ({ modelId }) => ({
        id: '',
        modelId,
        text: 'x',
        finish: 'stop',
        usage: { inputTokens: 1, outputTokens: 1 },
        costMicros: 0,
        createdAtMs: 0,
      }),
      orderTask: absent,
      door: { check: absent, request: absent, close: async () => {} },
      evaluate: absent,
      checkSchemas: async () => [],
      importMedia: absent,
      mediaUrls: () => [],
      random: Math.random,
      cancelTasks: absent,
    },
    models: () => undefined,
    recordRunEnd: async () => {},
    onEnded({ id }) {
      const heard = ends.get(id)
      if (heard) heard()
      else ends.set(id, () => {})
    },
    capacity: 1_000,
    activePerAccount: 1_000,
    runTimeoutMs: 3_600_000,
    stopGraceMs: 1_000,
    onError: console.error,
  }
}

async function drive(
  db: Db,
  ends: Map<string, () => void>,
  intake: Intake,
  plan: { steps: number; inFlight: number; forMs: number },
) {
  const accountId = uuidV7(Date.now())
  const nodes: object[] = [{ id: 'in', type: 'input.text', data: { default: 'x' } }]
  const connections: object[] = []
  for (let i = 0; i < plan.steps; i++) {
    nodes.push({ id: `g${i}`, type: 'text.generate', data: { model: 'm' } })
    connections.push({
      source: i === 0 ? 'in' : `g${i - 1}`,
      target: `g${i}`,
      targetHandle: 'prompt',
    })
  }
  const workflow = await insertWorkflow(db, {
    accountId,
    name: 'bench',
    canvasScale: null,
    data: JSON.stringify({ nodes, connections }),
    nodeCount: nodes.length,
    connectionCount: connections.length,
    nowMs: Date.now(),
  })
  const principal = { accountId, keyId: null, limits: {}, accountSpendPerMonthMicros: null }
  const latencies: number[] = []
  const startedAt = performance.now()
  let next = 0
  const one = async () => {
    const begunAt = performance.now()
    const key = `${next++}`
    const { run } = await intake.submit(principal, {
      workflow_id: workflow.id,
      workflow_name: 'bench',
      workflow_version: 1,
      data_version: 1,
      called: null,
      node_count: nodes.length,
      inputs: '{}',
      metadata: '{}',
      callback_url: null,
      max_cost_micros: null,
      idempotency_key: key,
      fingerprint: key,
      retry_of: null,
    })
    // It may have ended before its submitter was answered.
    if (!ends.has(run.id)) await new Promise<void>((resolve) => ends.set(run.id, resolve))
    ends.delete(run.id)
    latencies.push(performance.now() - begunAt)
  }
  const lane = async () => {
    while (performance.now() - startedAt < plan.forMs) await one()
  }
  await Promise.all(Array.from({ length: plan.inFlight }, lane))
  const elapsedMs = performance.now() - startedAt
  return { count: latencies.length, elapsedMs, latencies: latencies.sort((a, b) => a - b) }
}
