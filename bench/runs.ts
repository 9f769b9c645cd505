import { join } from 'node:path'
import { systemClock } from '#core/clock.ts'
import { createRunWorker } from '#engine/runs/run-worker.ts'
import { keepLease } from '#engine/work/lease-keeper.ts'
import type { Db } from '#store/db.ts'
import { leasesIn } from '#store/engine/leases.ts'
import { migrate } from '#store/migrate.ts'
import { openPostgres } from '#store/postgres/database.ts'
import { openSqlite } from '#store/sqlite/database.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import type { Effort, Row } from './report.ts'
import { createRunEnds, driveRuns, migrations, openSubmitter, workerOptions } from './run-load.ts'

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

/** Measures runs with trivial recorded steps, including submission, all in one process. */
export async function benchRuns(dataDir: string, effort: Effort): Promise<Row[]> {
  const rows = await measure(openSqlite({ path: join(dataDir, 'runs.db') }), effort)
  const server = await startPostgres({ fsync: 'on' })
  try {
    rows.push(...(await measure(openPostgres({ url: server.url, poolSize: 10 }), effort)))
  } finally {
    await server.stop()
  }
  return rows
}

async function measure(db: Db, effort: Effort): Promise<Row[]> {
  return withWorker(db, async (deps) => {
    const rows: Row[] = []
    for (const goal of goals[db.kind]) {
      const forMs = { quick: 500, short: 2_000, full: 5_000 }[effort]
      await driveRuns(deps, { ...goal, forMs: effort === 'quick' ? 200 : 1_000 })
      rows.push(rowOf(db.kind, goal, await driveRuns(deps, { ...goal, forMs })))
    }
    return rows
  })
}

function rowOf(
  kind: Db['kind'],
  goal: Goal,
  { perSecond, p50, p99, cpuUs }: Awaited<ReturnType<typeof driveRuns>>,
): Row {
  const isMet =
    goal.perSecond !== null
      ? perSecond >= goal.perSecond
      : goal.p50p99 && p50 <= goal.p50p99[0] && p99 <= goal.p50p99[1]
  return {
    name: `${kind}: ${goal.steps}-step runs, ${goal.inFlight} in flight`,
    value: `${Math.round(perSecond)} runs/s, p50/p99 ${p50.toFixed(1)}/${p99.toFixed(1)} ms`,
    limit: '',
    ratio: goal.perSecond === null ? null : perSecond / goal.perSecond,
    goal: goal.perSecond
      ? `≥ ${goal.perSecond}/s`
      : goal.p50p99
        ? `≤ ${goal.p50p99.join('/')} ms`
        : '',
    isMet,
    measures: { 'runs/s': perSecond, µs: cpuUs, 'ms p50': p50 },
  }
}

const mostTimes = 25

/** Shows that the cost of a run is linear in its number of nodes. */
export async function benchRunSize(dataDir: string, effort: Effort): Promise<Row[]> {
  const forMs = effort === 'quick' ? 500 : 5_000
  return withWorker(openSqlite({ path: join(dataDir, 'size.db') }), async (deps) => {
    const msPerRun = async (nodes: number) => {
      const plan = { steps: nodes - 1, inFlight: 50, forMs }
      await driveRuns(deps, { ...plan, forMs: forMs / 5 })
      return 1000 / (await driveRuns(deps, plan)).perSecond
    }
    const [small, large] = [await msPerRun(10), await msPerRun(200)]
    const ratio = large / small
    return [
      {
        name: 'sqlite: cost of a 200-node run, 50 in flight',
        value: `${large.toFixed(2)} ms`,
        limit: `a 10-node run ${small.toFixed(3)} ms`,
        ratio,
        goal: `≤ ${mostTimes}`,
        isMet: ratio <= mostTimes,
      },
    ]
  })
}

export async function withWorker<T>(
  db: Db,
  measured: (deps: Parameters<typeof driveRuns>[0]) => Promise<T>,
  limits: { capacity?: number; activePerAccount?: number } = {},
): Promise<T> {
  await migrate(db, migrations)
  const ends = createRunEnds()
  const keeper = await keepLease(leasesIn(db), {
    clock: systemClock,
    leaseMs: 30_000,
    onError: console.error,
  })
  const options = await workerOptions(db, keeper, ends.ended)
  const worker = createRunWorker({ ...options, ...limits })
  await worker.start()
  const result = await measured({ db, submitRun: openSubmitter(db, worker), ends })
  await worker.stop()
  await options.deps.steps.close()
  await keeper.release()
  await db.close()
  return result
}
