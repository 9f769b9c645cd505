// Which build of the console belongs to these sources, and making it while the API already
// serves. A build lies in a folder named by the fingerprint of everything it was made from, so
// "stale" is simply "not there"; nothing is ever changed in place.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The console's own files, and the pure ones of the server that it may import. */
const patterns = ['console/**/*.{ts,tsx,js,css,html,json}', 'src/{core,client,nodes}/**/*.ts']

/** Where the build of the present sources is, or will be. */
export function consoleFolder(): string {
  const hash = createHash('sha256')
  const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).sort()
  for (const file of [...files, 'package-lock.json']) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0')
  }
  return join(root, 'dist/console', hash.digest('hex').slice(0, 16))
}

type ConsoleBuild = {
  /** Whether it had to be built. */
  isFresh: boolean
  /** The folder, once it is whole; rejects with what the build printed. */
  folder: Promise<string>
  /** Ends a build that is under way. */
  stop(): void
}

/** Builds in a process of its own, at low priority: requests go first. */
export function startConsoleBuild(): ConsoleBuild {
  const folder = consoleFolder()
  if (existsSync(folder))
    return { isFresh: false, folder: Promise.resolve(folder), stop: () => undefined }
  const child = spawn(process.execPath, [join(root, 'scripts/build-console.ts')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-4000)
    })
  }
  child.once('spawn', () => {
    try {
      if (child.pid) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
    } catch {
      // Some systems forbid it; the build is then merely less polite.
    }
  })
  const built = new Promise<string>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve(folder) : reject(new Error(printed.trim() || `exit code ${code}`)),
    )
  })
  return { isFresh: true, folder: built, stop: () => void child.kill() }
}
