import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * In the order in which they start, so that what takes longest is not left to the end. `most` files
 * share a process: loading the server's modules takes a second of processor time, the first server
 * of a process another one and a browser two, and compiled code stays fast for the files after it.
 * More would leave the end of the suite to a few processes that are not yet done.
 */
const kinds = [
  { kind: 'console', most: 7 },
  { kind: 'journeys', most: 16 },
  { kind: 'crash', most: 5 },
  { kind: 'simulation', most: 1 },
  { kind: 'contract', most: 32 },
  { kind: 'oracle', most: 32 },
  { kind: 'unit', most: 64 },
]

/** Writes one file per process, which imports its test files; their names keep the order. */
export function writeBatches(paths: readonly string[], folder: string): string[] {
  const rankOf = (path: string) => kinds.findIndex(({ kind }) => path.startsWith(`test/${kind}/`))
  const batches = kinds.flatMap(({ most }, rank) => {
    const own = paths.filter((path) => rankOf(path) === rank).sort()
    return dealt(own, Math.ceil(own.length / most))
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
