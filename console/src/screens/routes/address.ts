// The address holds which route is being changed.
import { definedIn, textIn } from '#console/lib/search-values.ts'

/** `edit`: a route's name, or `new route`, which is none. */
export type RoutesSearch = { edit?: string }

export const newRoute = 'new route'

export const routesSearch = (search: Record<string, unknown>): RoutesSearch =>
  definedIn({ edit: textIn(search.edit, 64) })
