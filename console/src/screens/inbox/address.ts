// The address holds which wait is open, and how the list is filtered.
import { definedIn, oneOf, textIn } from '#console/lib/search-values.ts'

export type InboxSearch = {
  /** The open wait, and the run it belongs to. */
  run?: string
  wait?: string
  q?: string
  /** Also what others must answer. */
  show?: 'all'
}

export const inboxSearch = (search: Record<string, unknown>): InboxSearch =>
  definedIn({
    run: textIn(search.run, 36),
    wait: textIn(search.wait, 36),
    q: textIn(search.q, 200),
    show: oneOf(['all'], search.show),
  })
