import { countBefore } from './language.ts'

export const asksForSql = (ask: string): boolean =>
  /\bsql\b|\b(?:select|insert|update|delete) (?:query|statement)\b|\bcreate (?:a |the )?table\b|\bdatabase query\b/i.test(
    ask,
  )

const identifier = (word: string | undefined, otherwise: string) =>
  word ? word.toLowerCase().replace(/\W/g, '_') : otherwise

/** A statement by the form of the request; names are taken from it where it gives any. */
export function writeSql(ask: string): string {
  const flat = ask.replace(/\s+/g, ' ').trim().slice(0, 1000)
  const table = identifier(
    /\b(?:table|from|into) (?:called |named |the |a |all )?["'`]?([a-z_]\w{0,60})["'`]?/i.exec(
      flat,
    )?.[1] ??
      /\b(?:all|every|each|top \d{1,5}|the|duplicate|number of) (?:the )?([a-z_]\w{0,60}s)\b/i.exec(
        flat,
      )?.[1],
    'items',
  )
  const measure = identifier(
    /\bby (?:the |their |total |highest |lowest )?([a-z_]\w{0,60})/i.exec(flat)?.[1],
    'id',
  )
  const group =
    /\b(?:per|for each|grouped by|group by|in each|by each) (?:the )?([a-z_]\w{0,60})/i.exec(
      flat,
    )?.[1]
  if (/\bcreate\b.{0,40}\btable\b/i.test(flat)) return createTable(flat, table)
  if (/\bduplicates?\b/i.test(flat)) {
    const column = identifier(
      /\b(?:by|on|same|of) (?:the )?([a-z_]\w{0,60})/i.exec(flat)?.[1],
      'id',
    )
    return `select ${column}, count(*) as occurrences\nfrom ${table}\ngroup by ${column}\nhaving count(*) > 1\norder by occurrences desc;`
  }
  const total =
    /\b(average|avg|mean|sum|total|maximum|max|minimum|min|count|number)\b(?: of)?(?: the)?(?: ([a-z_]\w{0,60}))?/i.exec(
      flat,
    )
  if (total && group) {
    const call = callFor(total[1] ?? '', identifier(total[2], 'id'))
    const column = identifier(group, 'id')
    return `select ${column}, ${call} as value\nfrom ${table}\ngroup by ${column}\norder by value desc;`
  }
  const joined =
    /\bjoin(?:s|ing)? (?:the )?([a-z_]\w{0,60}) (?:and|with|to) (?:the )?([a-z_]\w{0,60})/i.exec(
      flat,
    )
  if (joined) {
    const [a, b] = [identifier(joined[1], 'a'), identifier(joined[2], 'b')]
    return `select *\nfrom ${a}\njoin ${b} on ${b}.${a.replace(/s$/, '')}_id = ${a}.id;`
  }
  const limit =
    /\btop (\d{1,5})\b/i.exec(flat)?.[1] ??
    countBefore(flat, /^(?:most|latest|newest|best|highest|rows)/)
  if (limit) return `select *\nfrom ${table}\norder by ${measure} desc\nlimit ${limit};`
  return `-- ${flat.slice(0, 160)}\nselect *\nfrom ${table}\nwhere true -- the condition goes here\norder by id;`
}

function callFor(word: string, column: string): string {
  const name = word.toLowerCase()
  if (/^(?:count|number)$/.test(name)) return 'count(*)'
  if (/^(?:average|avg|mean)$/.test(name)) return `avg(${column})`
  if (/^max/.test(name)) return `max(${column})`
  return /^min/.test(name) ? `min(${column})` : `sum(${column})`
}

function createTable(ask: string, table: string): string {
  const list = /\b(?:columns?|fields?|with)\b:? ([^.]{2,600})/i.exec(ask)?.[1] ?? ''
  const columns = list
    .split(/,| and |;/)
    .map((part) => part.replace(/\b(?:columns?|fields?|an?|the|its)\b/gi, '').trim())
    .flatMap((part) => /^["'`]?([a-z_][\w ]{0,60})/i.exec(part)?.[1]?.trim() ?? [])
    .map((name) => identifier(name, 'name'))
    .filter((name) => name !== 'id')
  const rows = (columns.length > 0 ? columns : ['name']).map((name) => `  ${name} ${typeFor(name)}`)
  return `create table ${table} (\n  id bigint generated always as identity primary key,\n${rows.join(',\n')}\n);`
}

function typeFor(name: string): string {
  if (/(?:_at|date|time|birthday)$/.test(name)) return 'timestamptz'
  if (/^is_|^has_|active|enabled/.test(name)) return 'boolean not null default false'
  if (/price|amount|total|cost|salary/.test(name)) return 'numeric(12, 2)'
  if (/count|quantity|age|year|stock|_id$/.test(name)) return 'integer'
  return 'text not null'
}
