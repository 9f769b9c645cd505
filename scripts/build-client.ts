// Writes dist/client: the client as plain JavaScript with its types, for Node 20 or later and for
// browsers. Files are replaced atomically.
import { spawnSync } from 'node:child_process'
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

// Compiled without the types of Node, because everything it uses must exist in browsers too.
const flags = `--ignoreConfig --target es2022 --module nodenext --lib es2022,dom,dom.iterable
  --types --strict --erasableSyntaxOnly --verbatimModuleSyntax
  --declaration --rewriteRelativeImportExtensions --singleThreaded`.split(/\s+/)

export function buildClient(): void {
  const output = join(root, 'dist/client')
  mkdirSync(output, { recursive: true })
  const made = mkdtempSync(join(root, 'dist/making-'))
  try {
    const args = [...flags, '--outDir', made, join(root, 'src/client/client.ts')]
    const { status, stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), args, {
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`tsc: ${stdout}`)
    // Declarations import the .ts sources, which are not shipped.
    for (const file of globSync('*.d.ts', { cwd: made })) {
      const path = join(made, file)
      const text = readFileSync(path, 'utf8')
      writeFileSync(path, text.replace(/(['"]\.\/[\w-]+)\.ts(['"])/g, '$1.js$2'))
    }
    for (const file of globSync('*', { cwd: made })) {
      renameSync(join(made, file), join(output, file))
    }
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  buildClient()
  console.log('dist/client is built')
}
