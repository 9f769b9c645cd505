// Runs the test suite: one PostgreSQL server for all files, two files at a time.
// Arguments name files or folders; without them everything runs. `--soak` runs the long proofs.
import { spawn } from 'node:child_process'
import { startPostgres } from '../test/support/postgres-server.ts'

const isSoak = process.argv.includes('--soak')
const chosen = process.argv.slice(2).filter((word) => word !== '--soak')
const everything = isSoak ? 'test/soak/**/*.soak.ts' : 'test/**/*.test.ts'
const limits = isSoak
  ? ['--test-concurrency=1', '--test-timeout=3600000']
  : ['--test-concurrency=2', '--test-timeout=180000']
const server = await startPostgres({ fsync: 'off' })
const child = spawn(
  process.execPath,
  ['--test', ...limits, ...(chosen.length > 0 ? chosen : [everything])],
  { stdio: 'inherit', env: { ...process.env, ATELIER_TEST_POSTGRES: server.url } },
)
child.on('exit', async (code, signal) => {
  await server.stop()
  process.exit(signal ? 1 : (code ?? 1))
})
