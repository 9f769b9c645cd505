// Which tasks are shown, and how, stands in the address.
import { startOfDay } from '#console/lib/days.ts'

export type TasksSearch = {
  view?: 'table'
  kind?: 'IMAGE' | 'VIDEO'
  status?: (typeof statuses)[number]
  source?: 'DIRECT' | 'WORKFLOW'
  model?: string
  /** Days, both included, in the reader's own time. */
  from?: string
  to?: string
  q?: string
  cursor?: string
}

export const statuses = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const
const kinds = ['IMAGE', 'VIDEO'] as const
const sources = ['DIRECT', 'WORKFLOW'] as const

const oneOf = <T extends string>(all: readonly T[], value: unknown): T | undefined =>
  all.find((one) => one === value)
const text = (value: unknown, most: number): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= most ? value : undefined
const day = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined

/** What an address says; anything else in it is dropped, so that a mistyped one still opens. */
export function tasksSearch(search: Record<string, unknown>): TasksSearch {
  const read = {
    view: oneOf(['table'], search.view),
    kind: oneOf(kinds, search.kind),
    status: oneOf(statuses, search.status),
    source: oneOf(sources, search.source),
    model: text(search.model, 200),
    from: day(search.from),
    to: day(search.to),
    q: text(search.q, 200),
    cursor: text(search.cursor, 1_000),
  }
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined))
}

/** The query of `GET /tasks`: days become instants, the last day whole. */
export function tasksQuery({ view: _, from, to, ...rest }: TasksSearch) {
  return {
    ...rest,
    size: 48,
    ...(from ? { from: startOfDay(from, 0) } : {}),
    ...(to ? { to: startOfDay(to, 1) } : {}),
  }
}

export const isFiltered = ({ view: _, cursor: __, ...filters }: TasksSearch): boolean =>
  Object.keys(filters).length > 0
