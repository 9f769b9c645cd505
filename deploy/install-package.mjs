// Installs a packed Atelier into the current folder with the versions of the lock file beside
// this script, and removes what a running server never reads.
//   node deploy/install-package.mjs atelier-0.1.0.tgz
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { unused } from '../scripts/install.mjs'

const [tarball = ''] = process.argv.slice(2)
const read = (name) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))
const { name, version, bin, dependencies, optionalDependencies } = read('package.json')
const lock = read('package-lock.json')
const resolved = `file:${basename(tarball)}`
const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`
const project = { name: 'atelier-installation', private: true, dependencies: { [name]: resolved } }

copyFileSync(tarball, basename(tarball))
lock.packages[''] = project
lock.packages[`node_modules/${name}`] = {
  ...{ version, resolved, integrity, bin, dependencies, optionalDependencies },
}
writeFileSync('package.json', JSON.stringify(project))
writeFileSync('package-lock.json', JSON.stringify({ ...lock, name: project.name }))
// Every dependency keeps the place of the registry to npm's own settings, as in the clone.
writeFileSync('.npmrc', readFileSync(new URL('../.npmrc', import.meta.url)))
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const flags = [
  '--ignore-scripts',
  '--prefer-offline',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
]
execFileSync(npm, ['ci', ...flags], { stdio: ['ignore', 2, 2] })
for (const path of unused) rmSync(join('node_modules', path), { recursive: true, force: true })
rmSync(basename(tarball))
