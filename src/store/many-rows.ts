// Writes the rows of one batch together. PostgreSQL takes any number of them in one statement,
// each column as an array; SQLite has no round trips to save and takes them one by one.
import type { Statement } from './db.ts'
import type { Cell, ColumnType, Dialect } from './dialect.ts'

/** The SQL fragments with which a statement refers to the rows it is given. */
export type RowFragments = {
  /** The value of a column. */
  of(column: string): string
  /** Follows `insert into t (…)`: inserts one row of these expressions for each given row. */
  insert(expressions: readonly string[]): string
  /** Goes between `set` and `where` of an update. */
  from: string
}

/** Builds a statement for any number of rows with these columns. It returns the results of all. */
export function manyRows<Row extends Record<keyof Row, Cell>, Answer = never>(
  columns: { readonly [column in keyof Row & string]: ColumnType },
  statement: (row: RowFragments) => string,
) {
  const names = Object.keys(columns) as (keyof Row & string)[]
  const single = statement(oneRow(names))
  const unnested = statement(arrays(columns))
  return (dialect: Dialect, rows: readonly Row[]): Statement<Answer> => {
    if (!dialect.takesRowsAsLists) {
      return { sql: single, rows: rows.map((row) => names.map((name) => row[name])) }
    }
    const params = names.map((name) => dialect.list(rows.map((row) => row[name])))
    return { sql: unnested, rows: rows.length === 0 ? [] : [[...params, rows.length]] }
  }
}

function oneRow(names: readonly string[]): RowFragments {
  return {
    of: (column) => `$${names.indexOf(column) + 1}`,
    insert: (expressions) => `values (${expressions.join(', ')})`,
    from: '',
  }
}

/**
 * The limit removes no rows. The planner cannot know how many will be given; the limit makes it
 * expect few and look each one up by its key. Without it, a plan made while a table is small would
 * still read whole indexes long after the table has grown.
 */
function arrays(columns: Readonly<Record<string, ColumnType>>): RowFragments {
  const params = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`)
  const rows = `from (select * from unnest(${params.join(', ')}) limit $${params.length + 1}::bigint)
    as given (${Object.keys(columns).join(', ')})`
  return {
    of: (column) => `given.${column}`,
    insert: (expressions) => `select ${expressions.join(', ')} ${rows}`,
    from: rows,
  }
}
