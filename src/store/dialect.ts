// What the two databases spell differently. Statements are written once, with these words in them.

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
}
