export type Param = string | number | null | Uint8Array

/** A statement that runs once for each of its rows of parameters. */
export type Statement<Row = unknown> = {
  readonly sql: string
  readonly rows: readonly (readonly Param[])[]
  /** If it returns no row, nothing that is written together with it is kept. */
  readonly isGuard?: true
  /** Exists only in the types. */
  readonly returns?: Row
}
