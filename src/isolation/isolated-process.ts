import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'

export type Program = {
  /** The script, then its arguments. */
  readonly arguments: readonly string[]
  /** The only files and folders it may read. */
  readonly readable: readonly string[]
  readonly flags: readonly string[]
}

/** `killed`: by us or by the system. `itself`: by an exit or a crash of its own. */
export type End = 'itself' | 'killed'

export type IsolatedProcess = {
  send(input: string | Uint8Array): void
  /** Only a busy process keeps the server's event loop alive. */
  setBusy(busy: boolean): void
  kill(): void
}

/** Scripts that every isolated program imports, and must therefore be able to read. */
export const sharedScripts: readonly string[] = [
  './job-loop.mjs',
  './watched-job.mjs',
  './cpu-watch.mjs',
  './kept.mjs',
  // Says what a # path means.
  '../../package.json',
].map((name) => fileURLToPath(new URL(name, import.meta.url)))

// A result is at most 1 MiB, and JSON may escape one character as six.
const maxLineChars = 8 * 1024 * 1024

/**
 * Starts a process without access to other files, network, child processes, add-ons, environment
 * or secrets, and with 64 MiB of heap. Calls `on.line` for every line it prints and `on.end` once.
 */
export function startIsolated(
  program: Program,
  on: { line(line: string): void; end(how: End): void },
): IsolatedProcess {
  const child = spawn(
    process.execPath,
    [
      '--permission',
      // For the thread that watches the jobs. The permission is dropped before the first job.
      '--allow-worker',
      ...program.readable.map((path) => `--allow-fs-read=${path}`),
      '--max-old-space-size=64',
      '--frozen-intrinsics',
      '--no-warnings',
      ...program.flags,
      ...program.arguments,
    ],
    // Standard error is ignored: V8 prints a trace there when the heap is full.
    { stdio: ['pipe', 'pipe', 'ignore'], env: { TZ: 'UTC' }, windowsHide: true },
  )
  let ended = false
  const end = (how: End) => {
    if (ended) return
    ended = true
    child.kill('SIGKILL')
    on.end(how)
  }
  child.once('error', () => end('killed'))
  // Not 'exit', which may be emitted before the last line has been read.
  child.once('close', (_code, signal) => end(signal === 'SIGKILL' ? 'killed' : 'itself'))
  // The 'close' event follows and says how the process ended.
  child.stdin?.on('error', () => undefined)
  readLines(
    child,
    (line) => {
      if (!ended) on.line(line)
    },
    () => end('itself'),
  )
  child.unref()
  return {
    send: (input) => void child.stdin?.write(input),
    setBusy: (busy) => hold(child, busy),
    kill: () => end('killed'),
  }
}

function readLines(child: ChildProcess, onLine: (line: string) => void, onExcess: () => void) {
  let rest = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > maxLineChars) return onExcess()
    for (const line of lines) onLine(line)
  })
}

function hold(child: ChildProcess, busy: boolean) {
  for (const stream of [child.stdin, child.stdout]) {
    // Declared as streams, but the pipes of a child process are sockets.
    if (!(stream instanceof Socket)) continue
    if (busy) stream.ref()
    else stream.unref()
  }
}
