// The address holds whose triggers are shown, and which of them is open.
import { definedIn, textIn } from '#console/lib/search-values.ts'

export type TriggersSearch = {
  /** Only those of this workflow. */
  workflow?: string
  /** The trigger that is being changed, or `new`. */
  edit?: string
  /** The trigger whose firings are shown. */
  firings?: string
}

export const triggersSearch = (search: Record<string, unknown>): TriggersSearch =>
  definedIn({
    workflow: textIn(String(search.workflow ?? ''), 16),
    edit: textIn(search.edit, 40),
    firings: textIn(search.firings, 40),
  })
