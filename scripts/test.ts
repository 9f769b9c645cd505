// Runs the test suite with one PostgreSQL server for all files, two files at a time.
// Arguments are files or folders; without them everything runs.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '../test/support/postgres-server.ts'

const chosen = process.argv.slice(2)
const patterns = chosen.length > 0 ? chosen : ['test/**/*.test.ts']
const limits = ['--test-concurrency=2', '--test-timeout=180000']
// Every test file and every server that a test starts loads the same modules. Compiling them once
// saves a third of the processor time.
const compiled = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))
const server = await startPostgres({ fsync: 'off' })
const child = spawn(process.execPath, ['--test', ...limits, ...patterns], {
  stdio: 'inherit',
  env: { ...process.env, ATELIER_TEST_POSTGRES: server.url, NODE_COMPILE_CACHE: compiled },
})
child.on('exit', async (code, signal) => {
  await server.stop()
  process.exit(signal ? 1 : (code ?? 1))
})
