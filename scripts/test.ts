// Runs the test suite: one PostgreSQL server for all files, two files at a time.
// Arguments name files or folders; without them everything runs.
import { spawn } from 'node:child_process'
import { startPostgres } from '../test/support/postgres-server.ts'

const chosen = process.argv.slice(2)
const patterns = chosen.length > 0 ? chosen : ['test/**/*.test.ts']
const limits = ['--test-concurrency=2', '--test-timeout=180000']
const server = await startPostgres({ fsync: 'off' })
const child = spawn(process.execPath, ['--test', ...limits, ...patterns], {
  stdio: 'inherit',
  env: { ...process.env, ATELIER_TEST_POSTGRES: server.url },
})
child.on('exit', async (code, signal) => {
  await server.stop()
  process.exit(signal ? 1 : (code ?? 1))
})
