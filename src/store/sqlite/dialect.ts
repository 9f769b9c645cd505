import type { Dialect } from '../dialect.ts'
import { quotedOrComment } from '../migrate.ts'

export const sqliteDialect: Dialect = {
  nowMs: `cast(unixepoch('subsec') * 1000 as integer)`,
  skipLocked: '',
  keyShare: '',
  inList: (param) => `in (select value from json_each(${param}))`,
  list: (values) => JSON.stringify(values),
  takesRowsAsLists: false,
  jsonLength: (column, member) => `json_array_length(${column}, '$.${member}')`,
  findTable: 'select name from sqlite_schema where name = $1',
  migrationLock: null,
  inSchema,
}

const words: readonly [RegExp, string][] = [
  [/\bbigint generated always as identity primary key\b/gi, 'integer primary key autoincrement'],
  // A type follows a column's name, so that a column may be called uuid.
  [/(?<=\w\s+)uuid\b/gi, 'text'],
  [/(?<=\w\s+)bytea\b/gi, 'blob'],
  // SQLite reads JSON from text as it is.
  [/::json\b/gi, ''],
  // PostgreSQL takes its own words for what it does anyway: here they keep rows in the key's tree.
  [/\bwithout oids\b/gi, 'without rowid'],
]

function inSchema(statement: string): string {
  const token = new RegExp(`(${quotedOrComment.source})|[^'"-]+|-`, 'g')
  return statement.replace(token, (text, quoted?: string) =>
    quoted === undefined ? words.reduce((rest, [from, to]) => rest.replace(from, to), text) : text,
  )
}
