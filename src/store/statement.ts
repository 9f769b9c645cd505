export type Param = string | number | null | Uint8Array

/** Run once for each of these rows of parameters. */
export type Statement<Row = unknown> = {
  readonly sql: string
  readonly rows: readonly (readonly Param[])[]
  /** If it returns no row, nothing it was written with is kept. */
  readonly isGuard?: true
  /** Known to the types alone. */
  readonly returns?: Row
}
