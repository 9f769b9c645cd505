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

export const decodeRow = (line: string): Cells =>
  (JSON.parse(line) as Encoded[]).map((cell) =>
    typeof cell === 'object' && cell !== null
      ? new Uint8Array(Buffer.from(cell.base64, 'base64'))
      : cell,
  )

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
