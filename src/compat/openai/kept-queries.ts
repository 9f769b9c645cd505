// What may be asked about responses that are kept, in the query of a GET.
import {
  FieldProblem,
  type Fields,
  ignored,
  oneOf,
  onlyHarmless,
  problemAt,
  type Read,
  readFields,
  reading,
  refused,
  rowsOf,
  someText,
  type Table,
} from '../field-table.ts'

/** OpenAI's own limits and defaults. */
const pageSize = { usual: 20, most: 100 }

const include = ignored('everything that was kept is in the answer')

export const retrieveFields = {
  include,
  include_obfuscation: ignored('it is about streams'),
  stream: refused(
    'is not offered for a response that is kept: read it whole',
    onlyHarmless('false'),
  ),
  starting_after: refused('is not offered: a response that is kept is read whole'),
}

type List = { limit?: number; order?: 'asc' | 'desc'; after?: string }
const row = rowsOf<List>()

const readLimit: Read<number> = (value) => {
  const size = Number(value)
  if (Number.isInteger(size) && size >= 1 && size <= pageSize.most) return size
  throw new FieldProblem(`must be from 1 to ${pageSize.most}`)
}

export const listFields = {
  include,
  limit: row('limit', 'the length of the page', readLimit),
  order: row('order', 'the order of the items', oneOf('asc', 'desc')),
  after: row('after', 'the last item of the page before', someText),
}

/** Clients write the name of a list with or without brackets. */
const readQuery = <Into>(table: Table<Into>, query: object, into: Into): Into => {
  const named = Object.entries(query).map(([name, value]) => [name.replace(/\[\]$/, ''), value])
  return readFields(table, Object.fromEntries(named) as Fields, into)
}

export const checkRetrieval = (query: object): void =>
  reading('brackets', () => void readQuery(retrieveFields, query, {}))

/** A page of items, newest first if nothing else is asked for. */
export const itemPage = (items: readonly { id: string }[], query: object): object =>
  reading('brackets', () => {
    const { limit = pageSize.usual, order, after } = readQuery<List>(listFields, query, {})
    const ordered = order === 'asc' ? items : items.toReversed()
    const from = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1
    if (after !== undefined && from === 0)
      throw problemAt('after', 'names no item of this response')
    const data = ordered.slice(from, from + limit)
    const [first_id, last_id] = [data[0]?.id ?? null, data.at(-1)?.id ?? null]
    return { object: 'list', data, first_id, last_id, has_more: from + limit < ordered.length }
  })
