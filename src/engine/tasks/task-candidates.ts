import { type CatalogueEntry, ownerOf, usableFallbacks, usableModel } from '#core/catalogue.ts'
import { servedBy } from '#core/routed-catalogue.ts'
import type { TaskRow } from '#store/engine-store.ts'
import { inOrder } from '../calls/route-order.ts'
import { type Serving, servingOf } from './task-serving.ts'
import { mostMicros, type TaskDeps } from './task-work.ts'

/** Who may make the task, in the order they are asked. */
export function candidates(deps: TaskDeps, row: TaskRow): Serving[] {
  const { isCostLimited, ...request } = row.request.value
  const isPriced = ({ model }: CatalogueEntry) => mostMicros(row.kind, request, model) !== null
  return mayServe(deps, row).flatMap((entry) => {
    const serving = servingOf(deps, row, entry.model.id)
    return serving && (!isCostLimited || isPriced(serving.entry)) ? [serving] : []
  })
}

/** The model and its fallbacks, or the candidates of a route, in the order they are asked. */
function mayServe({ catalogue }: TaskDeps, row: TaskRow): CatalogueEntry[] {
  const owner = ownerOf(row.credential_id)
  const { route, standIns } = row.request.value
  if (route) {
    // Each task is a conversation of its own: nothing of it is cached at a vendor.
    const served = servedBy(catalogue, route, { owner, standIns })
    return inOrder(served, route, { conversation: row.id })
  }
  const chosen = usableModel(catalogue, row.model, owner)
  const known = catalogue.known(row.model)
  return [...(chosen ? [chosen] : []), ...(known ? usableFallbacks(catalogue, known, owner) : [])]
}
