import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'))

type Locked = {
  integrity?: string
  /** Part of its parent's download. */
  inBundle?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}
const lockText = readFileSync(join(root, 'package-lock.json'), 'utf8')
const locked: Record<string, Locked> = JSON.parse(lockText).packages
const names = Object.keys(locked).filter((path) => path !== '')

test('every dependency is pinned to one version', () => {
  const manifest = read('package.json')
  const groups = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides']
  const pinned = groups.flatMap((group) => Object.entries<string>(manifest[group]))
  for (const [name, version] of pinned) assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name)
})

test('the lock file names no registry, and the checksum of every download', () => {
  assert.doesNotMatch(lockText, /"resolved"/)
  assert.deepEqual(
    names.filter((path) => !locked[path]?.integrity && !locked[path]?.inBundle),
    [],
  )
})

/** As Node and npm look for it: in the folder of the package, then in those above. */
function isFound(from: string, name: string): boolean {
  const path = from === '' ? `node_modules/${name}` : `${from}/node_modules/${name}`
  if (locked[path]) return true
  if (from === '') return false
  return isFound(from.slice(0, Math.max(0, from.lastIndexOf('node_modules/') - 1)), name)
}

test('the lock file names what each package needs, on every platform', () => {
  const missing = Object.entries(locked).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isFound(path, name))
      .map((name) => `${path} -> ${name}`),
  )
  assert.deepEqual(missing, [])
})

for (const group of [[], ['--omit=dev']]) {
  test(`npm ci accepts the lock file ${group.join(' ') || 'as it is'}`, async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'atelier-lock-'))
    for (const name of ['package.json', 'package-lock.json', '.npmrc'])
      cpSync(join(root, name), join(folder.path, name))
    const args = ['ci', '--dry-run', '--offline', '--loglevel=error', ...group]
    const { stdout } = await promisify(execFile)('npm', args, { cwd: folder.path })
    assert.match(stdout, /^added \d+ packages/m)
  })
}
