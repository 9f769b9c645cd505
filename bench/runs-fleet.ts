import type { Db } from '#store/db.ts'
import { migrate } from '#store/migrate.ts'
import { openPostgres } from '#store/postgres/database.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import { startTarget, type Target } from './process.ts'
import type { Effort, Row } from './report.ts'
import { createRunEnds, driveRuns, migrations, openSubmitter, type RunEnds } from './run-load.ts'

const goalMs = [15, 40] as const
const fleets = [1, 2, 3]
const accounts = 16

/** PostgreSQL: this process submits runs, worker processes report their ends over a pipe. */
export async function benchRunsFleet(_dataDir: string, effort: Effort): Promise<Row[]> {
  const server = await startPostgres({ fsync: 'on' })
  const db = openPostgres({ url: server.url, poolSize: 10 })
  try {
    await migrate(db, migrations)
    return await measure(db, server.url, effort)
  } finally {
    await db.close()
    await server.stop()
  }
}

async function measure(db: Db, url: string, effort: Effort): Promise<Row[]> {
  const ends = createRunEnds()
  const deps = { db, submitRun: openSubmitter(db), ends }
  const [warmMs, forMs] = effort === 'quick' ? [200, 1_000] : [1_000, 5_000]
  await using workers = new AsyncDisposableStack()
  const rows: Row[] = []
  const first: Record<number, number> = {}
  for (const count of fleets) {
    workers.use(await startWorker(url, ends))
    if (count === 1) rows.push(await latency(deps, { warmMs, forMs }))
    for (const steps of [1, 10]) {
      const plan = { steps, inFlight: 500, accounts }
      await driveRuns(deps, { ...plan, forMs: warmMs })
      const { perSecond } = await driveRuns(deps, { ...plan, forMs })
      first[steps] ??= perSecond
      rows.push({
        name: `postgres: ${steps}-step runs, ${count} worker process(es), 500 in flight`,
        value: `${Math.round(perSecond)} runs/s`,
        limit: `1 worker process ${Math.round(first[steps])} runs/s`,
        ratio: perSecond / first[steps],
        goal: '',
        isMet: null,
      })
    }
  }
  return rows
}

async function latency(
  deps: Parameters<typeof driveRuns>[0],
  { warmMs, forMs }: { warmMs: number; forMs: number },
): Promise<Row> {
  const plan = { steps: 10, inFlight: 1 }
  await driveRuns(deps, { ...plan, forMs: warmMs })
  const { p50, p99 } = await driveRuns(deps, { ...plan, forMs })
  return {
    name: 'postgres: 10-step runs, one at a time, worker in another process',
    value: `p50/p99 ${p50.toFixed(1)}/${p99.toFixed(1)} ms`,
    limit: '',
    ratio: p50 / goalMs[0],
    goal: `≤ ${goalMs.join('/')} ms`,
    isMet: p50 <= goalMs[0] && p99 <= goalMs[1],
  }
}

async function startWorker(url: string, ends: RunEnds): Promise<Target> {
  const worker = await startTarget('./targets/run-worker.ts', [url])
  worker.child.on('message', (runIds) => {
    for (const runId of runIds as string[]) ends.ended(runId)
  })
  return worker
}
