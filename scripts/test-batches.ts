import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * In the order in which they start, so that what takes longest is not left to the end. `most` files
 * share a process: loading the same modules anew for each of four hundred files would take a third
 * of the time, and a browser for each two seconds. Tests that kill servers gain nothing from it.
 * Only files that begin with the same `alike` folders are together.
 */
const kinds = [
  { kind: 'journeys', most: 6, alike: 3 },
  { kind: 'console', most: 4, alike: 2 },
  { kind: 'crash', most: 1, alike: 2 },
  { kind: 'simulation', most: 1, alike: 2 },
  { kind: 'contract', most: 12, alike: 3 },
  { kind: 'oracle', most: 12, alike: 2 },
  { kind: 'unit', most: 24, alike: 3 },
]

/** Writes one file per process, which imports its test files; their names keep the order. */
export function writeBatches(paths: readonly string[], folder: string): string[] {
  const rankOf = (path: string) => kinds.findIndex(({ kind }) => path.startsWith(`test/${kind}/`))
  const batches = kinds.flatMap(({ most, alike }, rank) => {
    const own = paths.filter((path) => rankOf(path) === rank).sort()
    const folders = Map.groupBy(own, (path) => path.split('/').slice(0, alike).join('/'))
    return [...folders.values()].flatMap((files) => dealt(files, Math.ceil(files.length / most)))
  })
  const lost = paths.filter((path) => rankOf(path) < 0)
  if (lost.length > 0) throw new Error(`no kind of test: ${lost.join(', ')}`)
  return batches.map((files, index) => {
    const name = `${String(index).padStart(3, '0')}.test.mjs`
    const urls = files.map((file) => pathToFileURL(file).href)
    writeFileSync(join(folder, name), urls.map((url) => `import ${JSON.stringify(url)}\n`).join(''))
    return join(folder, name)
  })
}

/** Deals files out like cards, because neighbours in a folder are alike in what they take. */
const dealt = (files: readonly string[], batches: number): string[][] =>
  Array.from({ length: batches }, (_, turn) => files.filter((_, i) => i % batches === turn))

const postgresFiles = ['test/support/databases.ts', 'test/support/postgres-server.ts']

/** Whether one of the files imports what opens PostgreSQL, directly or by way of others. */
export function usesPostgres(paths: readonly string[]): boolean {
  const seen = new Set(paths)
  for (const path of seen) {
    if (postgresFiles.includes(path)) return true
    if (!existsSync(path)) continue
    for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(/ from '(\.[^']+)'/g)) {
      seen.add(join(dirname(path), name))
    }
  }
  return false
}
