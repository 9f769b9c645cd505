// What the two databases spell differently. Statements are written once, from these fragments.
import type { Param, Statement } from './statement.ts'

export type ColumnType = 'uuid' | 'text' | 'integer' | 'bigint'
export type Cell = string | number | null

export type Dialect = {
  /**
   * The database's own time in ms, shared by all processes; their own clocks may disagree. Compared
   * with many rows it belongs in a query of its own, `(select …)`: PostgreSQL then reads it once.
   */
  readonly nowMs: string
  /** Ends a `select … limit n` inside a claim, so that two workers never wait on one row. */
  readonly skipLocked: '' | 'for update skip locked'
  /** Ends a select whose rows nobody may delete until the transaction is over. */
  readonly keyShare: '' | 'for key share'
  /** Ends a select whose rows nobody may change until the transaction is over. */
  readonly share: '' | 'for share'
  /** `= any (…)` or `in (…)`: a list of any length is one parameter, so one statement suffices. */
  inList(param: string, type: ColumnType): string
  /** Encodes a list as such a parameter. */
  list(values: readonly Cell[]): string
  /** Whether one statement can take any number of rows, with each column as a list. */
  readonly takesRowsAsLists: boolean
  /** The length of the list `member` in a column of JSON text. */
  jsonLength(column: string, member: string): string
  /** A member that is a text, of an object in a column. */
  jsonText(column: string, member: string): string
  /** Returns the name of a table, given as $1, if it exists. */
  readonly findTable: string
  /** Makes processes that start together migrate one after the other; null if there is only one. */
  readonly migrationLock: string | null
  /** Translates a statement of a migration, which is written for PostgreSQL. */
  inSchema(statement: string): string
  readonly catalog: Catalog
  /** Inserts whole rows into any table unchanged, including the values of its identity column. */
  insertRows(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly Param[])[],
  ): Statement
}

/** How a database describes its own tables. */
export type Catalog = {
  /** Rows of `table_name`, `name` and `key_position` (0 outside the primary key). */
  readonly columns: string
  /** Rows of `table_name` and the `target` of a foreign key. */
  readonly references: string
  /** Rows of `table_name`, `name` and `last`: the last number an identity column has given out. */
  readonly identities: string
  /** Makes the column continue after the number `last`. */
  setIdentity(identity: Identity): readonly Statement[]
}

export type Identity = { table_name: string; name: string; last: number }
