// Runs the test suite with one PostgreSQL server for all files, two processes at a time.
// Arguments are files or folders, each file in a process of its own; without them everything runs.
import { spawn } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { prepareMigrated } from '../test/support/databases.ts'
import { startPostgres } from '../test/support/postgres-server.ts'

const sharedMemory = '/dev/shm'
// Three times the most that the whole suite was seen to use at once.
const neededBytes = 2 * 2 ** 30
process.env.TMPDIR = memoryFolder() ?? tmpdir()
const folder = mkdtempSync(join(tmpdir(), 'atelier-tests-'))
const chosen = process.argv.slice(2)
const files = chosen.length > 0 ? chosen : inBatches(globSync('test/**/*.test.ts'))
const limits = ['--test-concurrency=2', '--test-timeout=180000']
// Every test file and every server that a test starts loads the same modules. Compiling them once
// saves a third of the processor time.
const compiled = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))
const server = await startPostgres({ fsync: 'off' })
const databases = await prepareMigrated(server.url, folder)
const child = spawn(process.execPath, ['--test', ...limits, ...files], {
  stdio: 'inherit',
  env: { ...process.env, ...databases, NODE_COMPILE_CACHE: compiled },
})
child.on('exit', async (code, signal) => {
  await server.stop()
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

/**
 * Lets the files of a folder share a process, because loading and compiling the same modules anew
 * for each of four hundred files takes a third of the time. Tests that start browsers or kill
 * processes gain nothing from it, so they stay alone.
 */
function inBatches(paths: string[]): string[] {
  const isAlone = (path: string) => /^test\/(console|crash)\//.test(path)
  const shared = Map.groupBy(
    paths.filter((path) => !isAlone(path)),
    (path) => dirname(path),
  )
  const batches = [...shared].map(([name, members]) => {
    const path = join(folder, `${name.replaceAll('/', '-')}.test.mjs`)
    const urls = members.sort().map((member) => pathToFileURL(member).href)
    writeFileSync(path, urls.map((url) => `import ${JSON.stringify(url)}\n`).join(''))
    return path
  })
  return [...paths.filter(isAlone), ...batches]
}
