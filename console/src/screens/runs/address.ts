// The address holds which runs are listed, and which node of a run is open.
import { dayIn, definedIn, instantsOf, textIn } from '#console/lib/search-values.ts'

const statuses = [
  'QUEUED',
  'RUNNING',
  'CANCEL_REQUESTED',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'ACTIVE',
  'WAITING',
] as const

export type RunsSearch = {
  status?: (typeof statuses)[number]
  workflowId?: number
  from?: string
  to?: string
  q?: string
  cursor?: string
}

/** Reads what the address says; anything else in it is dropped. */
export function runsSearch(search: Record<string, unknown>): RunsSearch {
  const workflowId = Number(search.workflowId)
  return definedIn({
    status: statuses.find((one) => one === search.status),
    workflowId: Number.isSafeInteger(workflowId) && workflowId > 0 ? workflowId : undefined,
    from: dayIn(search.from),
    to: dayIn(search.to),
    q: textIn(search.q, 200),
    cursor: textIn(search.cursor, 1000),
  })
}

/** The query of `GET /runs`: days become instants, and the last day is included. */
export function runsQuery({ from, to, ...rest }: RunsSearch) {
  return {
    ...rest,
    size: 50,
    ...instantsOf({ from, to }),
  }
}

export const isFiltered = ({ cursor: _, ...filters }: RunsSearch): boolean =>
  Object.keys(filters).length > 0

export type RunSearch = { node?: string }

/** The ledger names calls (`node#0`); the address names the node that made them. */
export function runSearch(search: Record<string, unknown>): RunSearch {
  const node = textIn(search.node, 1000)?.replace(/#\d+$/, '')
  return node ? { node } : {}
}
