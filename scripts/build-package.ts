// Makes what `npm pack` puts into the package besides bin/: lib/ (the server and the command line
// compiled, the console built), dist/client, the bill of materials and the notices.
import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildClient } from './build-client.ts'
import { buildConsole } from './build-console.ts'
import { compileServer } from './compile-server.ts'
import { root } from './install.mjs'
import { writeBom } from './write-bom.ts'

export async function buildPackage(): Promise<void> {
  const made = mkdtempSync(join(root, 'lib-'))
  try {
    compileServer(made)
    cpSync(await buildConsole(), join(made, 'console'), { recursive: true })
    rmSync(join(root, 'lib'), { recursive: true, force: true })
    renameSync(made, join(root, 'lib'))
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
  buildClient()
  await writeBom()
}

if (import.meta.main) await buildPackage()
