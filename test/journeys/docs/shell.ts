import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { compileCache } from '../../support/compile-cache.ts'
import { fakeTerminal } from '../../unit/cli/fake-terminal.ts'
import { root } from './doc-page.ts'

const documented = 'http://127.0.0.1:8787'
const mark = '@@status@@'

export type Shell = AsyncDisposable & {
  folder: string
  /** Returns what the command printed, and its exit status. */
  type(command: string): Promise<{ printed: string; status: number }>
}

/** Somebody who follows a page in a shell, in a folder of their own, with `atelier` installed. */
export function openShell(server: { url: string; dataDir: string; ownerKey: string }): Shell {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-reader-'))
  const bin = join(folder, '.bin')
  mkdirSync(bin)
  const program = (name: string, line: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const terminal = `--import "${root}test/journeys/docs/terminal.mjs"`
  program('atelier', `exec "${process.execPath}" ${terminal} "${root}bin/atelier.mjs" "$@"`)
  // The real `npx` is used by the test of the package; here it would only be slow.
  program('npx', 'exec "$@"')
  const env = {
    PATH: [
      bin,
      dirname(process.execPath),
      '/usr/bin',
      '/bin',
      `${root}test/support/fallback-bin`,
    ].join(delimiter),
    HOME: folder,
    ATELIER_URL: server.url,
    ATELIER_API_KEY: server.ownerKey,
    DATA_DIR: server.dataDir,
    ...compileCache,
  }
  const child = spawn('sh', { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] })
  let output = ''
  let heard = () => {}
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    heard()
  })
  const ended = once(child, 'close').then(() => heard())
  return {
    folder,
    async type(command) {
      output = ''
      const text = command.trimEnd().replaceAll(documented, server.url)
      // An incomplete command would let the shell wait for the rest of it.
      execFileSync('sh', ['-n', '-c', text], { env })
      child.stdin.write(`{ ${text}\n} </dev/null 2>&1\nprintf '${mark}%s\\n' $?\n`)
      while (!/@@\d+\n$/.test(output)) {
        if (child.exitCode !== null) throw new Error(`the shell ended:\n${output}`)
        await new Promise<void>((resolve) => {
          heard = resolve
        })
      }
      const [printed = '', status] = output.replaceAll(server.url, documented).split(mark)
      const terminal = fakeTerminal()
      terminal.stream.write(printed)
      return { printed: terminal.screen(), status: Number(status) }
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
