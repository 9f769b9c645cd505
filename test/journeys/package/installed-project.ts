// The package as npm packs it, installed by npm into a project that holds nothing else.
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdtemp, mkdtempDisposable, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildPackage } from '../../../scripts/build-package.ts'
import { root } from '../../../scripts/install.mjs'

export type InstalledProject = AsyncDisposable & {
  folder: string
  /** Paths inside the package. */
  packed: string[]
}

const run = promisify(execFile)

export async function installPackage(): Promise<InstalledProject> {
  await buildPackage()
  await using packs = await mkdtempDisposable(join(tmpdir(), 'atelier-packed-'))
  const folder = await mkdtemp(join(tmpdir(), 'atelier-package-'))
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', packs.path]
  const { stdout } = await run('npm', pack, { cwd: root, maxBuffer: 16 * 1024 * 1024 })
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }]
  const [tarball = ''] = readdirSync(packs.path)
  // As the image is built, with our own lock: npm asks the registry for nothing it has already.
  const install = [join(root, 'deploy/install-package.mjs'), join(packs.path, tarball)]
  await run(process.execPath, install, { cwd: folder })
  return {
    folder,
    packed: files.map(({ path }) => path),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
