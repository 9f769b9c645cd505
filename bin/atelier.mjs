#!/usr/bin/env node
// Runs on any Node from 20 on: the command line itself is TypeScript for the Node the project pins.
// Where this Node will do, it goes on in the same process, which starts in half the time.
import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const isNewEnough = Number(process.versions.node.split('.')[0]) >= 26
const isInstalled = existsSync(join(root, 'node_modules', '.installed-lock'))
// A server also needs every dependency at the version the lock file names, which run.mjs sees to.
if (isNewEnough && isInstalled && process.argv[2] !== 'start') {
  nodeModule.enableCompileCache(
    process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'node'),
  )
  await import('../src/cli/main.ts')
} else {
  process.argv.splice(2, 0, 'src/cli/main.ts')
  await import('../scripts/run.mjs')
}
