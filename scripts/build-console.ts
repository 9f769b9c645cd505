// Writes dist/console/<fingerprint>: the console as files named by hash, each also compressed.
// A build is complete or absent: it is made in a temporary folder and then renamed. Concurrent
// builds wait for the first one.
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { consoleFolder } from '../src/operate/process/console-build.ts'
import { openConsoleProject } from './console-project.ts'

/** How many older builds are kept, because a server that started earlier may still read one. */
const keptBuilds = 3

/** Returns the folder with the build of the current sources, and builds it if it is missing. */
export async function buildConsole(): Promise<string> {
  const folder = consoleFolder()
  await mkdir(dirname(folder), { recursive: true })
  const lock = `${folder}.lock`
  while (!existsSync(folder)) {
    if (!takeLock(lock)) {
      await new Promise((resolve) => setTimeout(resolve, 200))
      continue
    }
    try {
      if (!existsSync(folder)) await makeBuild(folder)
    } finally {
      rmSync(lock, { force: true })
    }
  }
  return folder
}

/** True if we got the lock. A lock whose process has died is removed. */
function takeLock(lock: string): boolean {
  try {
    const file = openSync(lock, 'wx')
    writeSync(file, String(process.pid))
    closeSync(file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0)
  } catch (error) {
    // The process that held the lock has died; the next attempt gets it.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') rmSync(lock, { force: true })
  }
  return false
}

async function makeBuild(folder: string): Promise<void> {
  const own = await mkdtemp(join(dirname(folder), 'making-'))
  try {
    await using project = await openConsoleProject()
    const configFile = join(project.folder, 'console/vite.config.ts')
    const vite = pathToFileURL(createRequire(configFile).resolve('vite')).href
    const { build } = (await import(vite)) as typeof import('vite')
    await build({ configFile, logLevel: 'warn', build: { outDir: own, emptyOutDir: true } })
    const files = await readdir(own, { recursive: true, withFileTypes: true })
    await Promise.all(
      files
        .filter((file) => file.isFile())
        .map((file) => compress(join(file.parentPath, file.name))),
    )
    await rename(own, folder)
    await removeOld(dirname(folder), basename(folder))
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

async function compress(path: string): Promise<void> {
  const bytes = await readFile(path)
  const quality = { [constants.BROTLI_PARAM_QUALITY]: 10 }
  await writeFile(`${path}.br`, await brotli(bytes, { params: quality }))
  await writeFile(`${path}.gz`, await zip(bytes, { level: 9 }))
}

async function removeOld(parent: string, current: string): Promise<void> {
  const builds = (await readdir(parent)).filter((name) => /^[0-9a-f]{16}$/.test(name))
  const aged = await Promise.all(
    builds
      .filter((name) => name !== current)
      .map(async (name) => ({ name, madeAtMs: (await stat(join(parent, name))).mtimeMs })),
  )
  const old = aged.sort((a, b) => b.madeAtMs - a.madeAtMs).slice(keptBuilds)
  for (const { name } of old) await rm(join(parent, name), { recursive: true, force: true })
}

if (import.meta.main) console.log(`The console is built: ${await buildConsole()}`)
