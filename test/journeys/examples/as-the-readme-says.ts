import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { oldestNode } from '../../contract/client/installed-nodes.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const readme = readFileSync(`${root}examples/README.md`, 'utf8')

/** The commands the index gives under a heading, one line each. */
export function commandsUnder(heading: string): string[] {
  const section = readme.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  const commands = [...section.matchAll(/^```sh\n(.*?)^```/gms)]
    .flatMap(([, block = '']) => block.trim().split('\n'))
    .filter((line) => !line.startsWith('export '))
  if (commands.length === 0) throw new Error(`examples/README.md has no command for ${heading}`)
  return commands
}

export type Command = AsyncDisposable & {
  /** The first line, from the beginning, that matches. */
  line(form: RegExp): Promise<string>
  /** Everything it printed, once it has ended. */
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>
}

/** As a person would type it, with any Node from 20 on. */
export function start(command: string, env: Record<string, string>): Command {
  // Some machines have no curl, so there is a fallback at the end of the path.
  const folders = [dirname(oldestNode()), '/usr/bin', '/bin', `${root}test/support/fallback-bin`]
  const path = folders.join(delimiter)
  // In its own process group, because the shell may be between us and the program.
  const child = spawn('sh', ['-c', command], {
    cwd: root,
    env: { PATH: path, DRAIN_SECONDS: '0', ...env },
    detached: true,
  })
  const lines: string[] = []
  let stderr = ''
  const waiting = new Set<() => void>()
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    for (const tell of waiting) tell()
  })
  const ended = new Promise<Awaited<Command['ended']>>((resolve) => {
    child.once('close', (code) => {
      resolve({ code, stdout: lines.join('\n'), stderr })
    })
  })
  return {
    ended,
    line: (form) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = lines.find((line) => form.test(line))
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
        void ended.then(() => reject(new Error(`ended without ${form}: ${lines}\n${stderr}`)))
      }),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.pid) process.kill(-child.pid, 'SIGTERM')
      await ended
    },
  }
}
