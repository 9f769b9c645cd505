import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { buildConsole } from '../../scripts/build-console.ts'

type Chunk = { file: string; imports?: string[]; css?: string[]; isEntry?: boolean }

let folder: string
let manifest: Record<string, Chunk>
before(async () => {
  folder = await buildConsole()
  manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
})

const brotli = (path: string) => statSync(`${path}.br`).size
const gzip = (path: string) => gzipSync(readFileSync(path)).length

/** Everything these sources need before they can run, as it is sent: brotli, if not said. */
function kilobytes(sources: string[], sizeOf = brotli) {
  const files = new Set<string>()
  const visit = (name: string) => {
    const chunk = manifest[name] ?? assert.fail(`${name} is not in the manifest`)
    if (files.has(chunk.file)) return
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file)
    for (const other of chunk.imports ?? []) visit(other)
  }
  for (const source of sources) visit(source)
  const sum = (ending: string) =>
    [...files]
      .filter((file) => file.endsWith(ending))
      .reduce((bytes, file) => bytes + sizeOf(join(folder, file)), 0) / 1000
  return { script: sum('.js'), style: sum('.css'), files: files.size }
}

const first = ['index.html', 'src/screens/overview/overview-screen.tsx']

test('the first screen needs at most 190 kB of script, gzipped, and 25 kB of style', () => {
  const { script, style } = kilobytes(first, gzip)
  assert.ok(script <= 190, `script: ${script} kB`)
  assert.ok(style <= 25, `style: ${style} kB`)
})

test('the first screen needs at most 15 files, and no other screen more than 50', () => {
  assert.ok(kilobytes(first).files <= 15, `first: ${kilobytes(first).files}`)
  for (const name of Object.keys(manifest).filter((path) => path.endsWith('-screen.tsx'))) {
    const { files } = kilobytes(['index.html', name])
    assert.ok(files <= 50, `${name}: ${files}`)
  }
})

const canvas = 'src/screens/canvas/canvas-screen.tsx'

test('the canvas needs at most 360 kB of script, gzipped, and 420 with an open editor', () => {
  const inspected = ['index.html', canvas, 'src/canvas/inspector/inspector.tsx']
  const { script } = kilobytes(inspected, gzip)
  assert.ok(script <= 360, `script: ${script} kB`)
  const edited = kilobytes([...inspected, 'src/canvas/inspector/code-field.tsx'], gzip)
  assert.ok(edited.script <= 420, `with an editor: ${edited.script} kB`)
})

test('the chat needs at most 240 kB of script, gzipped', () => {
  const { script } = kilobytes(['index.html', 'src/screens/playground/chat/chat-screen.tsx'], gzip)
  assert.ok(script <= 240, `script: ${script} kB`)
})

test('no other screen needs more than 250 kB of script', () => {
  const screens = Object.keys(manifest).filter((name) =>
    /^src\/screens\/.*-screen\.tsx$/.test(name),
  )
  assert.ok(screens.length >= 15)
  for (const name of screens) {
    if (name === canvas) continue
    const { script } = kilobytes(['index.html', name])
    assert.ok(script <= 250, `${name}: ${script} kB`)
  }
})
