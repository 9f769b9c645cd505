import { existsSync } from 'node:fs'
import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { root, runNpm } from './install.mjs'
import { importedBy, writeLockPart } from './lock-part.ts'

type ConsoleProject = AsyncDisposable & { folder: string }

/**
 * A folder in which the console can be built. If everything is installed, that is the project
 * itself. A production installation builds a copy of the sources, with the packages that the
 * console imports at their locked versions, and removes both afterwards. The copy is inside the
 * project, so that it finds the server's own packages above it.
 */
export async function openConsoleProject(): Promise<ConsoleProject> {
  if (existsSync(join(root, 'node_modules/vite'))) {
    return { folder: root, [Symbol.asyncDispose]: async () => undefined }
  }
  const folder = join(root, 'dist/console/project')
  const remove = () => rm(folder, { recursive: true, force: true })
  // A build that was killed may have left its copy.
  await remove()
  await mkdir(folder, { recursive: true })
  for (const path of ['.npmrc', 'tsconfig.json', 'console', 'src/core', 'src/client', 'src/graph'])
    await cp(join(root, path), join(folder, path), { recursive: true })
  await writeLockPart(folder, { dependencies: importedBy('console/**/*.{ts,tsx,css}') })
  runNpm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder })
  return { folder, [Symbol.asyncDispose]: remove }
}
