// A server in its own process, which can be killed, paused, stopped and started again on the same
// data. Never outlives the process that started it.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { compileCache } from './compile-cache.ts'
import { copyMigrated } from './migrated.ts'
import { type Answer, type Call, callServer, patience } from './server.ts'

export type ServerProcess = {
  /** Empty for a worker, which serves nothing. */
  readonly url: string
  /** The lines that it has written so far. */
  readonly said: readonly string[]
  /** Calls with the owner's key, if the key is in the server's folder. */
  call(call: Call | string): Promise<Answer>
  /** Turns the log of requests on or off. */
  switchRequestLog(): void
  /** Ends it like a power cut. */
  kill(): Promise<void>
  /** Stops it for a while, like a machine that swaps or sleeps. */
  pause(): void
  resume(): void
  /** Asks it to stop and waits until it has. Resolves with the exit code. */
  stop(): Promise<number | null>
  /** Presses Ctrl-C. */
  interrupt(): void
  /** Resolves with the exit code once it has ended. */
  ended: Promise<number | null>
}

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
// Its standard input ends when the process at the other end does, however that one dies. Threads
// inherit the import but have no such input.
const endsWithParent = `data:text/javascript,${encodeURIComponent(`
  import { isMainThread } from 'node:worker_threads'
  if (isMainThread) process.stdin.on('end', () => process.exit(1)).resume().unref()
`)}`

const ownImports = new URL('./own-imports.mjs', import.meta.url).href
const quickScrypt = new URL('./quick-scrypt.ts', import.meta.url).href

type Launch = {
  /** Limits how many files and connections it may have open. */
  descriptors?: number
  /** Options of Node itself, for example modules to import first. */
  nodeOptions?: readonly string[]
}

export async function startServerProcess(
  env: Record<string, string>,
  { descriptors, nodeOptions = [] }: Launch = {},
): Promise<ServerProcess> {
  const dataDir = env.DATA_DIR
  if (!dataDir) throw new Error('a process that is started again needs DATA_DIR')
  await copyMigrated({ ...env, DATA_DIR: dataDir })
  const imports = [ownImports, endsWithParent, quickScrypt].flatMap((module) => [
    '--import',
    module,
  ])
  const words = [process.execPath, ...nodeOptions, ...imports, main]
  const limit = `ulimit -n ${descriptors}; exec "$0" "$@"`
  const [program = '', ...args] = descriptors ? ['sh', '-c', limit, ...words] : words
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      NODE_OPTIONS: process.env.NODE_OPTIONS,
      ...compileCache,
      PORT: '0',
      RATE_LIMIT_IP: '0',
      CONSOLE: 'off',
      // No proxy has to learn of a stop.
      DRAIN_SECONDS: '0',
      ...patience,
      ...env,
      LOG_LEVEL: 'info',
    },
  })
  // Not `exit`: only at `close` has all of its output been read.
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  const said: string[] = []
  const url = await ready(child, said)
  const ownerKey = (await readFile(join(dataDir, 'owner.key'), 'utf8').catch(() => '')).trim()
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return exited
  }
  return {
    url,
    said,
    call: (call) => callServer(url, ownerKey, typeof call === 'string' ? { path: call } : call),
    switchRequestLog: () => void child.kill('SIGUSR2'),
    kill: async () => void (await end('SIGKILL')),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    stop: () => end('SIGTERM'),
    interrupt: () => void child.kill('SIGINT'),
    ended: exited,
  }
}

/** The server's address once it serves or works. Rejects with its output if it ends before. */
function ready(child: ChildProcess, said: string[]): Promise<string> {
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('the server has no output')
  return new Promise((resolve, reject) => {
    createInterface({ input: stderr }).on('line', (line) => said.push(line))
    createInterface({ input: stdout }).on('line', (line) => {
      const { msg, address } = JSON.parse(line) as { msg: string; address?: string }
      if (msg === 'Atelier is ready' || msg === 'Atelier works') resolve(address ?? '')
      said.push(line)
    })
    child.once('exit', (code) => {
      reject(new Error(`the server ended with ${code}:\n${said.slice(-20).join('\n')}`))
    })
  })
}
