// The models that may make a picture or video, and the most that it can cost with any of them.
import {
  type Catalogue,
  type CatalogueEntry,
  type KeyOwner,
  usableFallbacks,
  usableModel,
  withStandIn,
} from '#core/catalogue.ts'
import type { ModelChoices } from '#core/principal.ts'
import { isRouteId } from '#core/route.ts'
import { servedBy, withRoutes } from '#core/routed-catalogue.ts'
import type { EndedTask, TaskRow } from '#store/engine-store.ts'
import { mostMicros } from './task-work.ts'

/**
 * `entry`: what the caller named. `makers`: the candidates of a route; otherwise the same, first,
 * and its fallbacks.
 */
export function taskModels(
  catalogue: Catalogue,
  modelId: string,
  { owner, standIns, routes }: ModelChoices & { owner: KeyOwner },
): { entry?: CatalogueEntry; makers: CatalogueEntry[] } {
  const usable = usableModel(withRoutes(catalogue, routes), modelId, owner)
  if (!usable) return { makers: [] }
  const entry = withStandIn(usable, standIns)
  const { route } = entry
  if (route) return { entry, makers: servedBy(catalogue, route, { owner, standIns }) }
  const fallbacks = usableFallbacks(catalogue, entry, owner)
  return { entry, makers: [entry, ...fallbacks.map((one) => withStandIn(one, standIns))] }
}

/** Null if none of them has a price; those without are left out under a limit. */
export function mostOfAny(
  makers: readonly CatalogueEntry[],
  kind: TaskRow['kind'],
  request: Parameters<typeof mostMicros>[1],
): number | null {
  const costs = makers.flatMap(({ model }) => mostMicros(kind, request, model) ?? [])
  return costs.length > 0 ? Math.max(...costs) : null
}

export const priceKnown = (
  { model }: CatalogueEntry,
  kind: TaskRow['kind'],
  request: Parameters<typeof mostMicros>[1],
): boolean => mostMicros(kind, request, model) !== null

/** A fallback answers in place of the model that was asked for; a candidate of a route is that. */
export const isAsAsked = ({ model, served_by: servedBy }: EndedTask): boolean =>
  servedBy === null || servedBy === model || isRouteId(model)
