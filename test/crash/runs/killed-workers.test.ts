import { test } from 'node:test'
import { killWorkers } from './kill-workers.ts'

// The long version is asked for by the environment.
const rounds = Number(process.env.ATELIER_TEST_KILLS ?? 4)

test(`postgres: workers killed ${rounds} times under load lose no run and repeat no paid call`, async () => {
  await killWorkers({ rounds })
})
