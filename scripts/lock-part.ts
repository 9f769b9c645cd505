import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './install.mjs'
import { sourceFiles } from './source-files.ts'

type Versions = Record<string, string>
type Manifest = {
  name: string
  version: string
  license: string
  imports: Versions
  overrides: Versions
  dependencies: Versions
  devDependencies: Versions
  optionalDependencies: Versions
}

const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'))

export const readManifest = (): Manifest => read('package.json')

type Locked = { name: string; version: string; path: string }

export const lockedPackages = (): Locked[] =>
  Object.entries<{ version: string }>(read('package-lock.json').packages)
    .filter(([path]) => path !== '')
    .map(([path, { version }]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      path,
    }))

/** The development dependencies that these files import, which a build puts into its result. */
export function importedBy(pattern: string): Versions {
  const names = sourceFiles(pattern).flatMap(({ text }) =>
    // Only at the beginning of a line: code that the console displays is inside strings.
    [...text.matchAll(/^(?:import\b[^'"\n]*|\} from |@import )['"]([^'"]+)['"]/gm)].map(
      ([, specifier = '']) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0],
    ),
  )
  const imported = new Set(names)
  const all = Object.entries(readManifest().devDependencies)
  return Object.fromEntries(all.filter(([name]) => imported.has(name)))
}

/**
 * Writes package.json and package-lock.json of a project that needs only some of our packages. The
 * lock file is ours with another root, from which npm installs only what can be reached.
 */
export async function writeLockPart(
  folder: string,
  part: Pick<Manifest, 'dependencies'> & Partial<Manifest>,
): Promise<void> {
  const { name, version, license, imports, overrides } = readManifest()
  const manifest = { name, version, license, type: 'module', imports, overrides, ...part }
  const lock = read('package-lock.json')
  const { dependencies, optionalDependencies } = manifest
  lock.packages[''] = { name, version, license, dependencies, optionalDependencies }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock))
}
