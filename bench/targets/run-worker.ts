// A worker process on PostgreSQL. Reports the runs that ended to its parent, once per tick.
import { systemClock } from '#core/clock.ts'
import { createRunWorker } from '#engine/runs/run-worker.ts'
import { keepLease } from '#engine/work/lease-keeper.ts'
import { leasesIn } from '#store/engine/leases.ts'
import { openPostgres } from '#store/postgres/database.ts'
import { workerOptions } from '../run-load.ts'

const db = openPostgres({ url: process.argv[2] ?? '', poolSize: 10 })
const keeper = await keepLease(leasesIn(db), {
  clock: systemClock,
  leaseMs: 5_000,
  onError: console.error,
})
let ended: string[] = []
const worker = createRunWorker(
  await workerOptions(db, keeper, (runId) => {
    if (ended.push(runId) > 1) return
    setImmediate(() => {
      process.send?.(ended)
      ended = []
    })
  }),
)
await worker.start()
console.log(JSON.stringify({ url: '' }))
// Ends with the benchmark that started it.
process.on('disconnect', () => process.exit(1))
