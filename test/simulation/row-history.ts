// Which rows changed when, from the statements that change them. Most statements of a process look
// for something to do and find nothing: those are left out if it is certain that they would again.
import type { DatabaseSync } from 'node:sqlite'
import type { Param } from '#store/db.ts'

/** What a run changes; all else is there from the start. */
export const changing = [
  ...['workers', 'account_sequences', 'tasks', 'runs', 'steps', 'step_log', 'deliveries'],
  ...['delivery_tries', 'ledger', 'spend_days', 'scope_days', 'usage_quarters', 'chat_intents'],
  ...['webhook_secrets', 'waits', 'firings', 'triggers', 'reusable_calls', 'reuse_marks'],
  ...['economy_calls', 'vendor_batches', 'lanes', 'budget_alerts'],
]

export const timeNow = 'simulated_now()'

type Known = {
  /** As SQLite takes it. */
  text: string
  tables: readonly string[]
  /** What it finds depends on the time. */
  isTimed: boolean
  /** Without rows of these, it finds and changes nothing. */
  needs: readonly string[] | null
}

export type History = ReturnType<typeof createHistory>

export function createHistory() {
  const statements = new Map<string, Known>()
  /** In which version a statement found nothing, by parameters. */
  const empty = new Map<Known, Map<string, number>>()
  /** In which version the rows of a table changed. */
  const changed = new Map<string, number>()
  const filled = new Set<string>()
  let version = 0
  let workVersion = 0
  const isIdle = ({ needs }: Known) => needs?.every((table) => !filled.has(table)) ?? false
  return {
    /** Leases are renewed all the time, and that gives nobody anything to do. */
    version: () => workVersion,
    known(sql: string): Known {
      const found = statements.get(sql)
      if (found) return found
      const made = readStatement(sql)
      statements.set(sql, made)
      return made
    },
    noteChange(table: string): void {
      changed.set(table, ++version)
      filled.add(table)
      if (table !== 'workers') workVersion = version
    },
    isFilled: (table: string) => filled.has(table),
    isIdle,
    isKnownEmpty(statement: Known, params: readonly Param[]): boolean {
      if (isIdle(statement)) return true
      const since = empty.get(statement)?.get(params.join())
      if (since === undefined) return false
      return statement.tables.every((table) => (changed.get(table) ?? 0) <= since)
    },
    noteEmpty(statement: Known, params: readonly Param[]): void {
      if (statement.isTimed) return
      const known = empty.get(statement) ?? new Map<string, number>()
      empty.set(statement, known.set(params.join(), version))
    },
    /** All rows are gone. */
    forget() {
      empty.clear()
      filled.clear()
    },
  }
}

/**
 * Jumps from queue to queue in an index. On a few rows that takes SQLite twenty times as long as
 * reading them, and a third of the time of all statements.
 */
const queueSearch =
  /^with recursive found\(queue\) as \(\s*select \(select (\w+) from (.+?) order by \w+ limit 1\)[\s\S]*$/

function readStatement(sql: string): Known {
  const text = sql
    .replace(/::(bigint|text\[\])/g, '')
    .replace(queueSearch, 'select distinct $1 as queue from $2 order by $1 limit $$1')
    .replace(/unnest\((\$\d+)\) as (\w+)\(key\)/, '(select value as key from json_each($1)) as $2')
  const tables = [...new Set(sql.match(/\w+/g))].filter((word) => changing.includes(word))
  return { text, tables, isTimed: sql.includes(timeNow), needs: neededBy(text, tables) }
}

/** Null if a statement finds or changes something even where there are no rows, as a sum does. */
function neededBy(sql: string, tables: readonly string[]): readonly string[] | null {
  const [, target] = /^\s*(?:update|delete from)\s+(\w+)/.exec(sql) ?? []
  if (target) return tables.includes(target) ? [target] : null
  let outer = sql
  while (/\([^()]*\)/.test(outer)) outer = outer.replace(/\([^()]*\)/g, '')
  const [, first = ''] = /^\s*select\b[\s\S]*?\bfrom\s+(\w+)/.exec(outer) ?? []
  const isSearch = tables.includes(first) && !/\bselect (count|sum|coalesce)\b/.test(outer)
  const isQuestion = /^\s*select 1 as one where exists(\s+or exists)*\s*$/.test(outer)
  const read = [...sql.matchAll(/\b(?:from|join)\s+(\w+)/g)].map(([, name = '']) => name)
  const isAboutThese = read.every((name) => tables.includes(name))
  if (!isAboutThese || !(isSearch || isQuestion)) return null
  return tables.filter((name) => name !== 'workers')
}

const writing = /\b(?:insert into|update|delete from)\s+(\w+)/

/** Tells of each statement that has changed rows. */
export function noteChanges(
  database: DatabaseSync,
  { noteChange }: Pick<History, 'noteChange'>,
): void {
  const prepare = database.prepare.bind(database)
  database.prepare = (sql) => {
    const statement = prepare(sql)
    const [, table] = writing.exec(sql) ?? []
    if (!table) return statement
    const isSilent = statement.columns().length === 0
    const all = statement.all.bind(statement) as (...params: unknown[]) => unknown[]
    const run = statement.run.bind(statement) as (...params: unknown[]) => { changes: unknown }
    const noted = (...params: unknown[]) => {
      const rows = isSilent ? [] : all(...params)
      const count = isSilent ? run(...params).changes : rows.length
      if (Number(count) > 0) noteChange(table)
      return rows
    }
    return Object.assign(statement, { all: noted })
  }
}
