import type { Param, Tx } from './db.ts'

// Few sizes, so that few statements are prepared.
const sizes = [64, 16, 4, 1]

/**
 * Writes rows of `width` parameters in as few statements as possible. `statement` is given the
 * rows' text; `tail` adds to each row, told the number of its first parameter.
 */
export function manyRows(
  width: number,
  statement: (rows: string) => string,
  tail?: (first: number) => string,
) {
  const texts = new Map(sizes.map((size) => [size, statement(rowsOf(size, width, tail))]))
  return async (tx: Tx, rows: readonly (readonly Param[])[]): Promise<void> => {
    const written: Promise<unknown>[] = []
    for (let from = 0; from < rows.length; ) {
      const size = sizes.find((candidate) => candidate <= rows.length - from) ?? 1
      written.push(tx.write(texts.get(size) ?? '', rows.slice(from, from + size).flat()))
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
