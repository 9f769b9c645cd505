// Which runs are listed, and which node of a run is looked at, stand in the address.
import { startOfDay } from '#console/lib/days.ts'

const statuses = [
  'QUEUED',
  'RUNNING',
  'CANCEL_REQUESTED',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'ACTIVE',
] as const

export type RunsSearch = {
  status?: (typeof statuses)[number]
  workflowId?: number
  from?: string
  to?: string
  q?: string
  cursor?: string
}

const text = (value: unknown, most: number): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= most ? value : undefined
const day = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined

/** What an address says; anything else in it is dropped, so that a mistyped one still opens. */
export function runsSearch(search: Record<string, unknown>): RunsSearch {
  const workflowId = Number(search.workflowId)
  const read = {
    status: statuses.find((one) => one === search.status),
    workflowId: Number.isSafeInteger(workflowId) && workflowId > 0 ? workflowId : undefined,
    from: day(search.from),
    to: day(search.to),
    q: text(search.q, 200),
    cursor: text(search.cursor, 1000),
  }
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined))
}

/** The query of `GET /runs`: days become instants, the last day whole. */
export function runsQuery({ from, to, ...rest }: RunsSearch) {
  return {
    ...rest,
    size: 50,
    ...(from ? { from: startOfDay(from, 0) } : {}),
    ...(to ? { to: startOfDay(to, 1) } : {}),
  }
}

export const isFiltered = ({ cursor: _, ...filters }: RunsSearch): boolean =>
  Object.keys(filters).length > 0

export type RunSearch = { node?: string }

/** The ledger names calls, `node#0`; what is looked at is the node that made them. */
export function runSearch(search: Record<string, unknown>): RunSearch {
  const node = text(search.node, 1000)?.replace(/#\d+$/, '')
  return node ? { node } : {}
}
