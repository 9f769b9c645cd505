// Every column that holds bytes sealed by the secret box, so that all of them can be resealed
// when the key is replaced. A test compares this list with the columns of the database.
import type { Db } from './db.ts'
import type { RowKey, SecretBox } from './secret-box.ts'

type SealedTable = {
  table: string
  /** A unique column; rows are visited in its order. */
  id: string
  /** The columns that the sealed bytes are bound to; their values are joined by spaces. */
  boundTo: readonly string[]
  columns: readonly string[]
  /** For long cells: how many rows are in memory at a time. */
  atOnce?: number
}

export const sealedTables: readonly SealedTable[] = [
  { table: 'signing_keys', id: 'kid', boundTo: ['kid'], columns: ['private_jwk'] },
  {
    table: 'webhook_secrets',
    id: 'account_id',
    boundTo: ['account_id'],
    columns: ['secret', 'previous_secret'],
  },
  { table: 'credentials', id: 'id', boundTo: ['account_id', 'id'], columns: ['secret'] },
  { table: 'second_factors', id: 'user_id', boundTo: ['user_id'], columns: ['secret'] },
  {
    table: 'kept_responses',
    id: 'id',
    boundTo: ['account_id', 'id'],
    columns: ['content'],
    atOnce: 4,
  },
  {
    table: 'kept_answers',
    id: 'id',
    boundTo: ['account_id', 'id'],
    columns: ['content'],
    atOnce: 4,
  },
]

/** Small enough not to delay other writers on SQLite noticeably. */
const batchRows = 100

type SealedCell = { id: string; at: RowKey; column: string; sealed: Uint8Array }

/** All sealed cells of a table, batch by batch. */
async function* cellsOf(db: Db, { table, id, boundTo, columns, atOnce }: SealedTable) {
  const limit = atOnce ?? batchRows
  const names = [...new Set([id, ...boundTo, ...columns])].join(', ')
  let last: string | null = null
  for (;;) {
    const rows: Record<string, unknown>[] = await db.query(
      `select ${names} from ${table} ${last === null ? '' : `where ${id} > $1`}
       order by ${id} limit ${limit}`,
      last === null ? [] : [last],
    )
    yield rows.flatMap((row) => {
      const at = { table, row: boundTo.map((name) => String(row[name])).join(' ') }
      return columns.flatMap((column): SealedCell[] => {
        const sealed = row[column]
        return sealed instanceof Uint8Array ? [{ id: String(row[id]), at, column, sealed }] : []
      })
    })
    const end = rows.at(-1)
    if (!end || rows.length < limit) return
    last = String(end[id])
  }
}

/** How many secrets are not sealed with the current key. */
export async function countOldSecrets(db: Db, box: SecretBox): Promise<number> {
  let count = 0
  for (const table of sealedTables) {
    for await (const cells of cellsOf(db, table)) {
      count += cells.filter(({ at, sealed }) => !box.isCurrent(at, sealed)).length
    }
  }
  return count
}

/**
 * Reseals every cell that is sealed with the old key, and returns how many there were. Several
 * processes may do so at once: a cell is replaced only if it still holds the bytes that were read,
 * so a secret changed in the meantime is never lost.
 */
export async function resealSecrets(db: Db, box: SecretBox): Promise<number> {
  let count = 0
  for (const table of sealedTables) {
    for await (const cells of cellsOf(db, table)) {
      const old = cells.filter(({ at, sealed }) => !box.isCurrent(at, sealed))
      if (old.length === 0) continue
      const again = old.map((cell) => ({ ...cell, bytes: box.seal(cell.at, opened(box, cell)) }))
      await db.transaction(async (tx) => {
        for (const { id, column, sealed, bytes } of again) {
          await tx.write(
            `update ${table.table} set ${column} = $3 where ${table.id} = $1 and ${column} = $2`,
            [id, sealed, bytes],
          )
        }
      })
      count += old.length
    }
  }
  return count
}

function opened(box: SecretBox, { at, sealed }: SealedCell): Uint8Array {
  try {
    return box.open(at, sealed)
  } catch (cause) {
    const message = `A secret in the table ${at.table} can be read neither with SECRET_KEY nor with SECRET_KEY_OLD.`
    throw new Error(message, { cause })
  }
}
