// What the two databases spell differently. Statements are written once, with these words in them.
import type { Param, Statement } from './statement.ts'

export type ColumnType = 'uuid' | 'text' | 'integer' | 'bigint'
export type Cell = string | number | null

export type Dialect = {
  /** The database's own time in ms: processes may disagree on theirs, and share this one. */
  readonly nowMs: string
  /** Ends a `select … limit n` inside a claim, so that two workers never wait on one row. */
  readonly skipLocked: '' | 'for update skip locked'
  /** Ends a select whose rows nobody may delete until the transaction is over. */
  readonly keyShare: '' | 'for key share'
  /** `= any (…)`, `in (…)`: a list of any length as one parameter, so that one statement serves all. */
  inList(param: string, type: ColumnType): string
  /** That parameter. */
  list(values: readonly Cell[]): string
  /** Whether one statement takes any number of rows, each column as a list. */
  readonly takesRowsAsLists: boolean
  /** The number of elements of a list in a JSON text. */
  jsonLength(column: string, member: string): string
  /** Returns the name of a table, given as $1, if it exists. */
  readonly findTable: string
  /** Lets processes that start together migrate one after the other; null where there is but one. */
  readonly migrationLock: string | null
  /** A statement of a migration, which is written in PostgreSQL's words. */
  inSchema(statement: string): string
  readonly catalog: Catalog
  /** Whole rows of any table as they are, numbers of its identity column included. */
  insertRows(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly Param[])[],
  ): Statement
}

/** How a database describes its own tables. */
export type Catalog = {
  /** Rows of `table_name`, `name` and `key_position` (0 outside of the primary key). */
  readonly columns: string
  /** Rows of `table_name` and the `target` of a foreign key. */
  readonly references: string
  /** Rows of `table_name`, `name` and `last`: the last number an identity column has given out. */
  readonly identities: string
  /** Makes it go on after that number. */
  setIdentity(identity: Identity): readonly Statement[]
}

export type Identity = { table_name: string; name: string; last: number }
