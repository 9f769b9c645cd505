import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Project files by pattern, with their text. */
export const sourceFiles = (pattern: string): { path: string; text: string }[] =>
  globSync(pattern, { cwd: root })
    .filter((path) => !path.includes('node_modules'))
    .sort()
    .map((path) => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }))

/** Generated files say so in their first line; rules about the shape of code do not apply to them. */
export const isGenerated = (text: string): boolean => /^\/\/ (Written|Generated) from /.test(text)
