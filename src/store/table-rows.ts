// Reads whole tables for a backup and fills them for a restore. Nothing here names a table, so one
// that a later migration adds is part of the next backup.
import type { Db, Param, Reader, Writer } from './db.ts'
import type { Identity } from './dialect.ts'

/** Everything read from it dates from one moment, whatever others write meanwhile. */
export type Snapshot = Reader & AsyncDisposable

export type TableShape = {
  name: string
  columns: readonly string[]
  /** The columns of the primary key, in its order. */
  key: readonly string[]
}

/** The values of a row, in the order of the columns. */
export type Cells = readonly Param[]

/**
 * Ordered by name. All our tables have a primary key; one without belongs to somebody else who uses
 * the same schema.
 */
export async function tablesOf(db: Reader): Promise<TableShape[]> {
  const columns = await db.query<{ table_name: string; name: string; key_position: number }>(
    db.dialect.catalog.columns,
  )
  const tables = Map.groupBy(columns, ({ table_name }) => table_name)
  const shapes = Array.from(tables, ([name, of]) => ({
    name,
    columns: of.map((column) => column.name),
    key: of
      .filter(({ key_position }) => key_position > 0)
      .sort((a, b) => a.key_position - b.key_position)
      .map((column) => column.name),
  }))
  return shapes.filter(({ key }) => key.length > 0)
}

/** Sorts tables so that each comes after the tables it references. */
export async function inOrderOfReferences(
  db: Reader,
  tables: readonly TableShape[],
): Promise<TableShape[]> {
  const references = await db.query<{ table_name: string; target: string }>(
    db.dialect.catalog.references,
  )
  const ordered = new Map<string, TableShape>()
  const add = (table: TableShape) => {
    if (ordered.has(table.name)) return
    for (const { table_name, target } of references) {
      const before = table_name === table.name && target !== table.name && byName(tables, target)
      if (before) add(before)
    }
    ordered.set(table.name, table)
  }
  tables.forEach(add)
  return [...ordered.values()]
}

const byName = (tables: readonly TableShape[], name: string) =>
  tables.find((table) => table.name === name)

const pageBytes = 4 * 1024 * 1024
const maxPageRows = 1_000

/**
 * All rows in the order of their key, some megabytes at a time. Each page begins after the last key
 * of the one before, so the last page costs no more than the first.
 */
export async function* readRows(
  db: Reader,
  { name, columns, key }: TableShape,
): AsyncGenerator<Cells[]> {
  let after: Cells = []
  // A row may hold a megabyte: start with a small page, and size the next by the rows seen.
  let limit = 20
  for (;;) {
    const beyond = key.map((_, index) => `$${index + 2}`).join(', ')
    const rows = await db.query<Record<string, Param>>(
      `select ${columns.join(', ')} from ${name}
       ${after.length > 0 ? `where (${key.join(', ')}) > (${beyond})` : ''}
       order by ${key.join(', ')} limit $1`,
      [limit, ...after],
    )
    const last = rows.at(-1)
    if (!last) return
    const page = rows.map((row) => columns.map((column) => row[column] ?? null))
    yield page
    if (rows.length < limit) return
    after = key.map((column) => last[column] ?? null)
    const bytesPerRow = page.reduce((bytes, row) => bytes + sizeOf(row), 1) / page.length
    limit = Math.max(1, Math.min(maxPageRows, Math.floor(pageBytes / bytesPerRow)))
  }
}

const sizeOf = (row: Cells): number =>
  row.reduce<number>(
    (bytes, cell) => bytes + (cell === null || typeof cell === 'number' ? 8 : cell.length),
    0,
  )

export const addRows = (db: Db, { name, columns }: TableShape, rows: readonly Cells[]) =>
  db.writeAll(() => [db.dialect.insertRows(name, columns, rows)])

export const emptyTable = (db: Writer, { name }: TableShape) => db.write(`delete from ${name}`)

/** Backed up so that a number is never given out twice, even if its row is gone. */
export const identitiesOf = async (db: Reader): Promise<Identity[]> =>
  (await db.query<Identity>(db.dialect.catalog.identities)).filter(({ last }) => last > 0)

export const setIdentity = (db: Db, identity: Identity) =>
  db.writeAll(() => db.dialect.catalog.setIdentity(identity))
