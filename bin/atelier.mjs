#!/usr/bin/env node
// Runs on Node 20 or later, although the command line itself needs the Node that the project pins.
// If the current Node is new enough, continues in the same process, so that no extra process stays
// between the caller and a server.
import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { handOver, pinnedNode } from './pinned-node.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
// A clone runs its sources; a package has them compiled, because Node strips no types in
// node_modules.
const sources = join(root, 'src', 'cli', 'main.ts')
const isClone = existsSync(sources)

if (isClone && (process.argv[2] === 'start' || !existsSync(join(root, 'node_modules')))) {
  // A server needs every dependency at the version the lock file names.
  const { install } = await import('../scripts/install.mjs')
  install('production')
}
if (Number(process.versions.node.split('.')[0]) >= 26) {
  const cache = isClone ? join(root, 'node_modules', '.cache', 'node') : join(root, '.cache')
  nodeModule.enableCompileCache(process.env.NODE_COMPILE_CACHE ?? cache)
  const { resolveOwnImports } = await import('./own-imports.mjs')
  resolveOwnImports(pathToFileURL(join(root, isClone ? 'src' : 'lib', '/')).href)
  const main = isClone ? sources : join(root, 'lib', 'cli', 'main.js')
  await import(pathToFileURL(main).href)
} else {
  handOver(pinnedNode(), process.argv.slice(1))
}
