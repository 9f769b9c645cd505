// The address holds which tasks are shown, and how.
import { dayIn, definedIn, instantsOf, oneOf, textIn } from '#console/lib/search-values.ts'

export type TasksSearch = {
  view?: 'table'
  kind?: 'IMAGE' | 'VIDEO'
  status?: (typeof statuses)[number]
  source?: 'DIRECT' | 'WORKFLOW'
  model?: string
  starred?: true
  /** Days, both inclusive, in the reader's time zone. */
  from?: string
  to?: string
  q?: string
  cursor?: string
}

export const statuses = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const
const kinds = ['IMAGE', 'VIDEO'] as const
const sources = ['DIRECT', 'WORKFLOW'] as const

/** Reads what the address says; anything else in it is dropped. */
export function tasksSearch(search: Record<string, unknown>): TasksSearch {
  return definedIn({
    view: oneOf(['table'], search.view),
    kind: oneOf(kinds, search.kind),
    status: oneOf(statuses, search.status),
    source: oneOf(sources, search.source),
    model: textIn(search.model, 200),
    starred: search.starred === true ? true : undefined,
    from: dayIn(search.from),
    to: dayIn(search.to),
    q: textIn(search.q, 200),
    cursor: textIn(search.cursor, 1_000),
  })
}

/** The query of `GET /tasks`: days become instants, and the last day is included. */
export function tasksQuery({ view: _, from, to, ...rest }: TasksSearch) {
  return {
    ...rest,
    size: 48,
    ...instantsOf({ from, to }),
  }
}

export const isFiltered = ({ view: _, cursor: __, ...filters }: TasksSearch): boolean =>
  Object.keys(filters).length > 0
