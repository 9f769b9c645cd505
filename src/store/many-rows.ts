import type { Db, Param, Tx } from './db.ts'

// Few sizes, so that few statements are prepared. SQLite has no way to save, and is slower with
// many parameters.
const sizesOf: Record<Db['kind'], readonly number[]> = { postgres: [64, 16, 4, 1], sqlite: [1] }

/**
 * Writes rows of `width` parameters in as few statements as possible. `statement` is given the
 * rows' text; `tail` adds to each row, told the number of its first parameter.
 */
export function manyRows(
  width: number,
  statement: (rows: string) => string,
  tail?: (first: number) => string,
) {
  const texts = new Map(
    sizesOf.postgres.map((size) => [size, statement(rowsOf(size, width, tail))]),
  )
  return async (
    tx: Tx,
    { kind }: Pick<Db, 'kind'>,
    rows: readonly (readonly Param[])[],
  ): Promise<void> => {
    const sizes = sizesOf[kind]
    const written: Promise<unknown>[] = []
    for (let from = 0; from < rows.length; ) {
      const size = sizes.find((candidate) => candidate <= rows.length - from) ?? 1
      const params = size === 1 ? rows[from] : rows.slice(from, from + size).flat()
      written.push(tx.write(texts.get(size) ?? '', params))
      from += size
    }
    await Promise.all(written)
  }
}

function rowsOf(size: number, width: number, tail?: (first: number) => string): string {
  const rows = Array.from({ length: size }, (_, row) => {
    const first = row * width + 1
    const params = Array.from({ length: width }, (_, column) => `$${first + column}`).join(', ')
    return `(${params}${tail ? `, ${tail(first)}` : ''})`
  })
  return rows.join(', ')
}
