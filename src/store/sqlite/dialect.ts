import type { Dialect } from '../dialect.ts'
import { quotedOrComment } from '../migrate.ts'

export const sqliteDialect: Dialect = {
  nowMs: `cast(unixepoch('subsec') * 1000 as integer)`,
  skipLocked: '',
  keyShare: '',
  share: '',
  inList: (param) => `in (select value from json_each(${param}))`,
  list: (values) => JSON.stringify(values),
  takesRowsAsLists: false,
  jsonLength: (column, member) => `json_array_length(${column}, '$.${member}')`,
  jsonText: (column, member) => `json_extract(${column}, '$.${member}')`,
  findTable: 'select name from sqlite_schema where name = $1',
  migrationLock: null,
  inSchema,
  catalog: {
    columns: `select t.name as table_name, c.name, c.pk as key_position
      from sqlite_schema t join pragma_table_info(t.name) c
      where t.type = 'table' and t.name not like 'sqlite~_%' escape '~' order by t.name, c.cid`,
    references: `select distinct t.name as table_name, r."table" as target
      from sqlite_schema t join pragma_foreign_key_list(t.name) r where t.type = 'table'`,
    identities: `select s.name as table_name, c.name, s.seq as last
      from sqlite_sequence s join pragma_table_info(s.name) c on c.pk = 1`,
    // A table that never had a row has no entry in sqlite_sequence to update.
    setIdentity: ({ table_name, last }) => [
      { sql: `delete from sqlite_sequence where name = $1`, rows: [[table_name]] },
      {
        sql: `insert into sqlite_sequence (name, seq) values ($1, $2)`,
        rows: [[table_name, last]],
      },
    ],
  },
  insertRows: (table, columns, rows) => ({
    sql: `insert into ${table} (${columns.join(', ')})
      values (${columns.map((_, index) => `$${index + 1}`).join(', ')})`,
    rows,
  }),
}

const words: readonly [RegExp, string][] = [
  [/\bbigint generated always as identity primary key\b/gi, 'integer primary key autoincrement'],
  // Only where a type can be, after a column's name: a column may itself be called uuid.
  [/(?<=\w\s+)uuid\b/gi, 'text'],
  [/(?<=\w\s+)bytea\b/gi, 'blob'],
  // SQLite reads JSON from text without a cast.
  [/::json\b/gi, ''],
  // A no-op on PostgreSQL; here it makes SQLite store the rows in the tree of the primary key.
  [/\bwithout oids\b/gi, 'without rowid'],
]

function inSchema(statement: string): string {
  const token = new RegExp(`(${quotedOrComment.source})|[^'"-]+|-`, 'g')
  return statement.replace(token, (text, quoted?: string) =>
    quoted === undefined ? words.reduce((rest, [from, to]) => rest.replace(from, to), text) : text,
  )
}
