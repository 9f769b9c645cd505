// Rows as lines of JSON, the same for both databases.
import { createHash } from 'node:crypto'
import type { Cells } from '#store/table-rows.ts'

type Encoded = string | number | null | { base64: string }

export const encodeRow = (cells: Cells): string =>
  JSON.stringify(
    cells.map(
      (cell): Encoded =>
        cell instanceof Uint8Array ? { base64: Buffer.from(cell).toString('base64') } : cell,
    ),
  )

/** Throws if the line is not a row of that many cells. */
export function decodeRow(line: string, length: number): Cells {
  const row: unknown = JSON.parse(line)
  if (!Array.isArray(row) || row.length !== length) throw new Error(`not a row of ${length} cells`)
  return row.map(decodeCell)
}

function decodeCell(cell: Encoded | undefined): Cells[number] {
  if (cell === null || typeof cell === 'string' || typeof cell === 'number') return cell
  if (typeof cell?.base64 !== 'string') throw new Error('not a cell')
  return new Uint8Array(Buffer.from(cell.base64, 'base64'))
}

/** Compares the rows of a table whatever their order: the two databases sort keys differently. */
export type RowSum = { rows: number; sum: bigint }

export const noRows = (): RowSum => ({ rows: 0, sum: 0n })

/** Adds the checksum of each row, modulo 2^128. */
export function addToSum(total: RowSum, rows: readonly Cells[]): void {
  for (const row of rows) {
    const hash = createHash('sha256').update(encodeRow(row)).digest('hex').slice(0, 32)
    total.sum = BigInt.asUintN(128, total.sum + BigInt(`0x${hash}`))
  }
  total.rows += rows.length
}
