// The address holds which workflows are shown, and in which order.
import { definedIn, oneOf, textIn } from '#console/lib/search-values.ts'

export type WorkflowsSearch = {
  q?: string
  tag?: string
  /** The most recently changed first, unless this is set. */
  sort?: 'name' | 'created'
  cursor?: string
}

export const workflowsSearch = (search: Record<string, unknown>): WorkflowsSearch =>
  definedIn({
    q: textIn(search.q, 200),
    tag: textIn(search.tag, 40),
    sort: oneOf(['name', 'created'], search.sort),
    cursor: textIn(search.cursor, 1_000),
  })
