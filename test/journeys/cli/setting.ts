// The command line as people and programs use it: as a process with pipes, or in a terminal.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { dispatch } from '../../../src/cli/dispatch.ts'
import { interrupted } from '../../../src/cli/terminal/failure.ts'
import { createPrinter } from '../../../src/cli/terminal/printer.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { compileCache } from '../../support/compile-cache.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { fakeKeyboard, fakeTerminal, until } from '../../unit/cli/fake-terminal.ts'

const main = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url))

type Env = Record<string, string>
export type Ended = { code: number | null; stdout: string; stderr: string }
type Given = { env?: Env; stdin?: string; cwd?: string; script?: string }
type Piped = Omit<Given, 'script' | 'cwd'>

/** A process that has not ended yet. */
export function begin(words: readonly string[], { env = {}, stdin, cwd, script }: Given = {}) {
  const child = spawn(process.execPath, [script ?? main, ...words], {
    env: {
      PATH: process.env.PATH,
      ...compileCache,
      ...env,
    },
    ...(cwd === undefined ? {} : { cwd }),
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    said.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    said.stderr += chunk
  })
  child.stdin.on('error', () => {})
  if (stdin !== undefined) child.stdin.write(stdin)
  child.stdin.end()
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => resolve({ code, ...said }))
  })
  return { child, said, ended }
}

export const runWords = (words: readonly string[], given?: Given): Promise<Ended> =>
  begin(words, given).ended

/** A program that uses the command line, in this process: a tenth of what a new one takes. */
export async function dispatched(words: readonly string[], given: Piped = {}): Promise<Ended> {
  const said = { stdout: '', stderr: '' }
  const into = (name: keyof typeof said) => {
    const write = (text: string) => {
      said[name] += text
    }
    return createPrinter({ write }, { styled: false })
  }
  const code = await dispatch(
    {
      env: { PATH: process.env.PATH, ...given.env },
      clock: systemClock,
      signal: new AbortController().signal,
      stdin: Readable.from(given.stdin === undefined ? [] : [Buffer.from(given.stdin)]),
      out: into('stdout'),
      err: into('stderr'),
    },
    words,
  )
  return { code, ...said }
}

/** A person at a terminal. */
export function inTerminal(words: readonly string[], env: Env, size?: { rows: number }) {
  const terminal = fakeTerminal(size)
  const keyboard = fakeKeyboard()
  const controller = new AbortController()
  const printer = createPrinter(terminal.stream, { styled: true })
  const ended = dispatch(
    {
      env,
      clock: systemClock,
      signal: controller.signal,
      stdin: keyboard.stdin,
      out: printer,
      err: printer,
    },
    words,
  )
  return {
    ended,
    screen: terminal.screen,
    written: terminal.written,
    type: keyboard.type,
    pressCtrlC: () => controller.abort(interrupted()),
    shows: (text: string | RegExp) =>
      until(
        () =>
          typeof text === 'string'
            ? terminal.screen().includes(text)
            : text.test(terminal.screen()),
        terminal.screen,
      ),
  }
}

export type Setting = {
  server: TestServer
  env: Env
  /** An empty folder, gone after the test. */
  folder: string
  cli(words: readonly string[], given?: Piped): Promise<Ended>
}

/** A server, and the environment of somebody on its machine. */
export async function openSetting(t: TestContext, serverEnv: Env = {}): Promise<Setting> {
  const server = await startServer(serverEnv)
  t.after(() => server.stop())
  const folder = await newFolder(t)
  // Files that a command names are in this folder.
  const before = process.cwd()
  process.chdir(folder)
  t.after(() => process.chdir(before))
  const env = { ATELIER_URL: server.url, DATA_DIR: server.dataDir }
  return {
    server,
    env,
    folder,
    cli: (words, given = {}) => dispatched(words, { ...given, env: { ...env, ...given.env } }),
  }
}

export async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-cli-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}
