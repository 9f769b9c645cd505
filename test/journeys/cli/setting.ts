// The command line as people and programs use it: as a process with pipes, or in a terminal.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { dispatch } from '../../../src/cli/dispatch.ts'
import { interrupted } from '../../../src/cli/terminal/failure.ts'
import { createPrinter } from '../../../src/cli/terminal/printer.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { fakeKeyboard, fakeTerminal, until } from '../../unit/cli/fake-terminal.ts'

const main = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url))

type Env = Record<string, string>
export type Ended = { code: number | null; stdout: string; stderr: string }
type Given = { env?: Env; stdin?: string; cwd?: string; script?: string }

/** A process that has not ended yet. */
export function begin(words: readonly string[], { env = {}, stdin, cwd, script }: Given = {}) {
  const child = spawn(process.execPath, [script ?? main, ...words], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: join(tmpdir(), 'atelier-compile-cache'),
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
  cli(words: readonly string[], given?: Given): Promise<Ended>
}

/** A server, and the environment of somebody on its machine. */
export async function openSetting(t: TestContext, serverEnv: Env = {}): Promise<Setting> {
  const server = await startServer(serverEnv)
  t.after(() => server.stop())
  const folder = await newFolder(t)
  const env = { ATELIER_URL: server.url, DATA_DIR: server.dataDir }
  return {
    server,
    env,
    folder,
    cli: (words, given = {}) =>
      runWords(words, { cwd: folder, ...given, env: { ...env, ...given.env } }),
  }
}

export async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-cli-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}
