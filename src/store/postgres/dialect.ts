import type { Cell, Dialect } from '../dialect.ts'

export const postgresDialect: Dialect = {
  nowMs: `(extract(epoch from clock_timestamp()) * 1000)::bigint`,
  skipLocked: 'for update skip locked',
  keyShare: 'for key share',
  inList: (param, type) => `= any(${param}::${type}[])`,
  list: arrayOf,
  takesRowsAsLists: true,
  jsonLength: (column, member) => `json_array_length(${column}::json -> '${member}')`,
  findTable: 'select to_regclass($1)::text as name',
  migrationLock: 'select pg_advisory_xact_lock(7203487911)',
  inSchema: (statement) => statement,
}

/** https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
function arrayOf(values: readonly Cell[]): string {
  const cells = values.map((value) =>
    typeof value === 'string' ? quoted(value) : (value ?? 'NULL'),
  )
  return `{${cells.join(',')}}`
}

const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`
