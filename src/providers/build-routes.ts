import type { CatalogueEntry } from '#core/catalogue.ts'
import type { Route, Routes } from '#core/route.ts'
import { routeProblem, toRoute, type WrittenRoute } from '#core/route-schema.ts'
import { ModelsFileError } from './models-file.ts'

/** The routes of MODELS_FILE, which every account may use. */
export function buildRoutes(
  written: readonly ({ name: string } & WrittenRoute)[],
  entries: readonly CatalogueEntry[],
): Routes {
  const models = new Map(entries.map((entry) => [entry.model.id, entry]))
  const routes = new Map<string, Route>()
  for (const { name, ...fields } of written) {
    if (routes.has(name)) throw new ModelsFileError(`has the route "${name}" twice`)
    const route = toRoute(name, fields)
    const problem = routeProblem(route, (id) => models.get(id))
    if (problem) throw new ModelsFileError(`has a route "${name}" in which ${problem.message}`)
    routes.set(name, route)
  }
  return Object.fromEntries(routes)
}
