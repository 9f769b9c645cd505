// Pages of the list of models, as clients of Anthropic and Google ask for them. Without a size the
// page is the whole list. What else a query may have is ignored, as everywhere in queries.
import {
  FieldProblem,
  type Fields,
  problemAt,
  type Read,
  readFields,
  reading,
  rowsOf,
  someText,
  type Table,
} from './field-table.ts'

const largest = 1_000

type Page = { size?: number; after?: string; before?: string }
type Found<Item> = { items: Item[]; hasMore: boolean }

const readSize: Read<number> = (value) => {
  const size = typeof value === 'string' && /^[0-9]{1,9}$/.test(value) ? Number(value) : 0
  if (size >= 1 && size <= largest) return size
  throw new FieldProblem(`must be from 1 to ${largest}`)
}

const row = rowsOf<Page>()
const anthropic = {
  limit: row('size', 'the length of the page', readSize),
  after_id: row('after', 'the last model of the page before', someText),
  before_id: row('before', 'the first model of the page after', someText),
}
const google = {
  pageSize: row('size', 'the length of the page', readSize),
  pageToken: row('after', 'the page, by the nextPageToken of the one before', someText),
}

export const anthropicPage = <Item extends { id: string }>(all: readonly Item[], query: object) =>
  pageOf(all, query, anthropic, ({ id }) => id)

export const googlePage = <Item extends { name: string }>(all: readonly Item[], query: object) =>
  pageOf(all, query, google, ({ name }) => name)

function pageOf<Item>(
  all: readonly Item[],
  query: object,
  table: Table<Page>,
  idOf: (item: Item) => string,
): Found<Item> {
  const asked = Object.entries(query).filter(([name]) => Object.hasOwn(table, name))
  return reading('dots', () => {
    const page = readFields<Page>(table, Object.fromEntries(asked) as Fields, {})
    const { size = all.length, after, before } = page
    const placeOf = (id: string) => {
      const place = all.findIndex((item) => idOf(item) === id)
      if (place >= 0) return place
      const [name = ''] = asked.find(([, value]) => value === id) ?? []
      throw problemAt(name, 'names no model of the list')
    }
    const range = all.slice(
      after === undefined ? 0 : placeOf(after) + 1,
      before === undefined ? all.length : placeOf(before),
    )
    // Before a model come the last ones in front of it, not the first of the list.
    const isBackwards = before !== undefined && after === undefined
    const items = isBackwards ? range.slice(-size) : range.slice(0, size)
    return { items, hasMore: items.length < range.length }
  })
}
