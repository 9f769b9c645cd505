// Finds the build of the console that belongs to the current sources, or builds it while the API
// already serves. The folder of a build is named after a hash of everything it was built from.
// A changed source therefore means a missing folder, and no build is ever changed in place.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The files of the console and the pure files of the server that it may import. */
const patterns = ['console/**/*.{ts,tsx,js,css,html,json}', 'src/{core,client,graph}/**/*.ts']

/** The folder that the build of the current sources is, or will be, in. A package contains it. */
export function consoleFolder(): string {
  if (!existsSync(join(root, 'console'))) return join(root, 'lib/console')
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
  /** Resolves when the build is complete; rejects with its output. */
  folder: Promise<string>
  /** Stops a build in progress. */
  stop(): void
}

/** Builds in a separate process at low priority, so that requests are not slowed down. */
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
      // Some systems forbid lowering the priority. The build then competes with requests.
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
