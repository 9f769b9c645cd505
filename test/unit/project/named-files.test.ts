import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sourceFiles } from '../../../scripts/source-files.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const files = globSync('{*,{src,console,test,scripts,bench,docs,examples,bin}/**/*}', {
  cwd: root,
  exclude: (path) => path.includes('node_modules'),
}).map((path) => `/${path}`)
const paths = new Set(files)
const rooms = new Set(files.filter((path) => path.startsWith('/src/')).map(roomOf))

function roomOf(path: string) {
  return path.split('/')[2] ?? ''
}

/** A path may omit its leading folders, and an import path those behind its `#`. */
const exists = (name: string) =>
  [name, name.replace(/^console\//, 'console/src/')].some((whole) =>
    files.some((path) => path.endsWith(`/${whole}`)),
  )

// Examples in the docs of how a new screen or test would be named.
const examples = /^(\.|-|screens\/things\/)/

const prose = [
  ...sourceFiles('{*.md,docs/**/*.md,console/*.md,examples/*.md}'),
  ...sourceFiles('{src,console/src,scripts,bench}/**/*.{ts,tsx}').map(({ path, text }) => ({
    path,
    text: (text.match(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm) ?? []).join('\n'),
  })),
]

test('docs and comments name only files that exist', () => {
  const missing = prose.flatMap(({ path, text }) =>
    [...text.matchAll(/(?<![\w/:.*-])(?:\.\.\/)*((?:[\w-]+\/)*[\w.-]+\.(?:tsx?|mjs|sql))\b/g)]
      .map(([, name = '']) => name)
      .filter((name) => !examples.test(name) && !exists(name))
      .map((name) => `${path}: ${name}`),
  )
  assert.deepEqual(missing, [])
})

test('drawings name only folders and files that exist', () => {
  const missing = sourceFiles('{ARCHITECTURE.md,docs/**/*.md}').flatMap(({ path, text }) =>
    [...text.matchAll(/(?<![\w/.`-])([a-z-]+)\/([a-z]+(?:-[a-z]+)+)(?![\w./-])/g)]
      .filter(([, room = '', name]) => rooms.has(room) && !namesOne(room, name ?? ''))
      .map(([name]) => `${path}: ${name}`),
  )
  assert.deepEqual(missing, [])
})

const namesOne = (room: string, name: string) =>
  [...paths].some((path) => path.startsWith(`/src/${room}/`) && path.includes(`/${name}`))
