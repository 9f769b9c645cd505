// Runs the test suite. Files share processes, and several processes run at a time. PostgreSQL is
// started if a chosen file uses it. Arguments are files or folders, each file in a process of its
// own; without them everything runs but test/console/long, which `npm run test:console` runs. With
// --cost each file has its own process too, and a table of what it took follows.
import { spawn } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { flushCompileCache } from 'node:module'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { migratedPostgres, migratedSqlite } from '../test/support/migrated.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import { usesPostgres, writeBatches } from './test-batches.ts'
import { costTable } from './test-cost.ts'

const sharedMemory = '/dev/shm'
// Three times the most that the whole suite was seen to use at once.
const neededBytes = 2 * 2 ** 30
process.env.TMPDIR = memoryFolder() ?? tmpdir()
const folder = mkdtempSync(join(tmpdir(), 'atelier-tests-'))
const words = process.argv.slice(2)
const cost = words.includes('--cost') ? join(folder, 'cost') : undefined
// Other options, such as --test-name-pattern, are for the runner of Node.
const given = Map.groupBy(
  words.filter((word) => word !== '--cost'),
  (word) => word.startsWith('-'),
)
const chosen = globSync((given.get(false) ?? []).map(inFolder))
if (given.has(false) && chosen.length === 0) throw new Error('there is no such test file')
const paths = given.has(false)
  ? chosen
  : globSync('test/**/*.test.ts', { exclude: ['test/console/long'] })
const files = given.has(false) || cost ? paths : writeBatches(paths, folder)
// Half of the time a test waits: for a lease to end, a page to be drawn, a command to be typed. Three
// processes per core keep the cores busy. Eight are what one PostgreSQL has connections for.
const processes = Math.min(8, 3 * availableParallelism())
// Ends only what would never end: the busiest machine seen took a tenth of it.
const timeoutMs = 900_000
const imports = [
  '../test/support/own-imports.mjs',
  // Who runs chosen files wants to know which test threw an error outside of itself.
  ...(given.has(false) ? [] : ['../test/support/no-async-hooks.mjs']),
  ...(cost ? ['./test-cost.ts'] : []),
]
const options = [
  // Most of what a test makes is garbage soon, and the cores are busy: it takes less processor time
  // with room for it, collected by the thread that made it, and only once there is much.
  ...['--min-semi-space-size=64', '--max-semi-space-size=64', '--single-threaded-gc'],
  ...['--initial-heap-size=512', '--no-memory-reducer'],
  ...imports.map((path) => `--import=${new URL(path, import.meta.url).href}`),
  `--test-concurrency=${processes}`,
  `--test-timeout=${timeoutMs}`,
  ...(given.get(true) ?? []),
]
// Every test file and every server that a test starts loads the same modules, and a process that is
// killed leaves nothing compiled to the next one. Compiling them here, before the others begin,
// saves a third of the processor time.
await import('../src/app/start.ts')
flushCompileCache()
const server = usesPostgres(paths) ? await startPostgres({ fsync: 'off' }) : undefined
const databases = {
  ...(await migratedSqlite(folder)),
  ...(server && (await migratedPostgres(server.url))),
}
const child = spawn(process.execPath, ['--test', ...options, ...files], {
  stdio: 'inherit',
  env: {
    ...process.env,
    ...databases,
    // Who chooses tests of the console wants to have every state examined.
    ...(given.has(false) ? { ATELIER_TEST_VIEWS: 'all' } : {}),
    ...(cost ? { ATELIER_TEST_COST: cost } : {}),
  },
})
child.on('exit', async (code, signal) => {
  if (cost) console.log(costTable(cost).join('\n'))
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
  process.exit(signal ? 1 : (code ?? 1))
})

/**
 * The folder that Linux keeps in memory, if it has room for everything that the tests write. They
 * create and remove thousands of databases, and waiting for a disk would prove nothing: what they
 * kill are processes, not machines.
 */
function memoryFolder(): string | undefined {
  if (process.env.TMPDIR || !existsSync('/proc/mounts')) return undefined
  const mount = new RegExp(`^\\S+ ${sharedMemory} .*`, 'm')
  const [mounted] = mount.exec(readFileSync('/proc/mounts', 'utf8')) ?? []
  // Tests also execute programs that they have put there.
  if (!mounted || mounted.includes('noexec')) return undefined
  const { bavail, bsize } = statfsSync(sharedMemory)
  return bavail * bsize > neededBytes ? sharedMemory : undefined
}

/** A folder stands for its test files. */
function inFolder(path: string): string {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory()
  return isFolder ? join(path, '**/*.test.ts') : path
}
