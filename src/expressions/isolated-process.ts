import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { join } from 'node:path'

export type Program = {
  /** The script, then what it is told. */
  readonly arguments: readonly string[]
  /** All it may read. */
  readonly readable: readonly string[]
  readonly flags: readonly string[]
}

/** Killed: by us or by the system, not by anything it did. */
export type End = 'itself' | 'killed'

export type IsolatedProcess = {
  send(text: string): void
  /** Only a busy process keeps the server from ending. */
  setBusy(busy: boolean): void
  kill(): void
}

/** What every program here is built on, and must be able to read. */
export const sharedScripts: readonly string[] = [
  'job-loop.mts',
  'watched-job.mts',
  'cpu-watch.mts',
  'kept.mts',
].map((name) => join(import.meta.dirname, name))

// A result is at most 1 MiB; JSON may write one character as six.
const maxLineChars = 8 * 1024 * 1024

/**
 * Starts a process that has no files, network, children, add-ons, environment or secrets, and
 * 64 MiB of heap. It tells of every line it gets, and once of its end.
 */
export function startIsolated(
  program: Program,
  on: { line(line: string): void; end(how: End): void },
): IsolatedProcess {
  const child = spawn(
    process.execPath,
    [
      '--permission',
      // For the thread that watches the jobs; the right is given up before the first of them.
      '--allow-worker',
      ...program.readable.map((path) => `--allow-fs-read=${path}`),
      '--max-old-space-size=64',
      '--frozen-intrinsics',
      '--no-warnings',
      ...program.flags,
      ...program.arguments,
    ],
    // V8 prints a trace when the heap is full: of no use here.
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
  // Not 'exit', which may come before its last line has been read.
  child.once('close', (_code, signal) => end(signal === 'SIGKILL' ? 'killed' : 'itself'))
  // Its end follows, and says more.
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
    send: (text) => void child.stdin?.write(text),
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
    // The types know these as streams; the pipes of a child are sockets.
    if (!(stream instanceof Socket)) continue
    if (busy) stream.ref()
    else stream.unref()
  }
}
