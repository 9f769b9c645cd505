import type { Param, Statement } from '../db.ts'
import type { Cell, Dialect } from '../dialect.ts'

export const postgresDialect: Dialect = {
  nowMs: `(extract(epoch from clock_timestamp()) * 1000)::bigint`,
  skipLocked: 'for update skip locked',
  keyShare: 'for key share',
  share: 'for share',
  inList: (param, type) => `= any(${param}::${type}[])`,
  list: arrayOf,
  takesRowsAsLists: true,
  jsonLength: (column, member) => `json_array_length(${column}::json -> '${member}')`,
  jsonText: (column, member) => `(${column}::json ->> '${member}')`,
  findTable: 'select to_regclass($1)::text as name',
  migrationLock: 'select pg_advisory_xact_lock(7203487911)',
  inSchema: (statement) => statement,
  catalog: {
    columns: `select c.relname as table_name, a.attname as name,
        coalesce(array_position(i.indkey::int2[], a.attnum) + 1, 0) as key_position
      from pg_class c join pg_attribute a on a.attrelid = c.oid
        left join pg_index i on i.indrelid = c.oid and i.indisprimary
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
        and a.attnum > 0 and not a.attisdropped
      order by c.relname, a.attnum`,
    references: `select distinct conrelid::regclass::text as table_name,
        confrelid::regclass::text as target
      from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`,
    identities: `select c.table_name, c.column_name as name, coalesce(s.last_value, 0) as last
      from information_schema.columns c join pg_sequences s
        on format('%I.%I', s.schemaname, s.sequencename)
          = pg_get_serial_sequence(format('%I.%I', c.table_schema, c.table_name), c.column_name)
      where c.table_schema = current_schema() and c.is_identity = 'YES'`,
    setIdentity: ({ table_name, name, last }) => [
      {
        sql: `select setval(pg_get_serial_sequence($1, $2), $3::bigint)`,
        rows: [[table_name, name, last]],
      },
    ],
  },
  insertRows,
}

/** One JSON parameter holds all rows; each value is converted to the type of its column. */
function insertRows(
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Param[])[],
): Statement {
  const names = columns.join(', ')
  const objects = rows.map((row) =>
    Object.fromEntries(columns.map((name, index) => [name, textOf(row[index] ?? null)])),
  )
  return {
    sql: `insert into ${table} (${names}) overriding system value
      select ${names} from json_populate_recordset(null::${table}, $1::json)`,
    rows: [[JSON.stringify(objects)]],
  }
}

const textOf = (value: Param) =>
  value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value

/** https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
function arrayOf(values: readonly Cell[]): string {
  const cells = values.map((value) =>
    typeof value === 'string' ? quoted(value) : (value ?? 'NULL'),
  )
  return `{${cells.join(',')}}`
}

const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`
