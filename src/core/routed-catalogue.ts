// A catalogue with routes: those of the operator, or those of one account.
import {
  type Catalogue,
  type CatalogueEntry,
  type KeyOwner,
  usableModel,
  withStandIn,
} from './catalogue.ts'
import { once } from './once.ts'
import { priceOf, type StandIns, type UnitPrices } from './pricing.ts'
import {
  boundedPrices,
  isRouteId,
  mediumOf,
  type Route,
  type RouteNeed,
  type Routes,
  routePrefix,
} from './route.ts'
import { sharedCapabilities } from './shared-capabilities.ts'

const views = new WeakMap<Routes, { of: Catalogue; revision: number; view: Catalogue }>()

/** The catalogue as somebody with these routes sees it. Their own hide others of the same name. */
export function withRoutes(catalogue: Catalogue, routes: Routes | undefined): Catalogue {
  if (!routes) return catalogue
  const known = views.get(routes)
  if (known?.of === catalogue && known.revision === catalogue.revision) return known.view
  const view = viewOf(catalogue, routes)
  views.set(routes, { of: catalogue, revision: catalogue.revision, view })
  return view
}

/** A catalogue whose routes may change, as MODELS_FILE does. */
export function routedCatalogue(catalogue: Catalogue, routes: () => Routes | undefined): Catalogue {
  const now = () => withRoutes(catalogue, routes())
  return {
    get revision() {
      return catalogue.revision
    },
    get models() {
      return now().models
    },
    get keyless() {
      return now().keyless
    },
    get entries() {
      return now().entries
    },
    find: (id) => now().find(id),
    known: (id) => now().known(id),
  }
}

function viewOf(catalogue: Catalogue, routes: Routes): Catalogue {
  const made = new Map<string, CatalogueEntry>()
  const own = (id: string): CatalogueEntry | undefined => {
    const known = made.get(id)
    if (known) return known
    const route = routeNamed(routes, id)
    if (!route) return undefined
    const entry = routeEntry(catalogue, route)
    made.set(id, entry)
    return entry
  }
  const all = once(() => Object.keys(routes).flatMap((name) => own(routePrefix + name) ?? []))
  const models = once(() => [
    ...catalogue.models.filter(({ id }) => !routeNamed(routes, id)),
    ...all().flatMap(({ model }) => (model.enabled ? [model] : [])),
  ])
  const { revision, keyless } = catalogue
  return {
    revision,
    keyless,
    get entries() {
      return [...catalogue.entries.filter(({ model }) => !routeNamed(routes, model.id)), ...all()]
    },
    get models() {
      return models()
    },
    find(id) {
      const entry = own(id)
      return entry ? (entry.model.enabled ? entry : undefined) : catalogue.find(id)
    },
    known: (id) => own(id) ?? catalogue.known(id),
  }
}

function routeNamed(routes: Routes, id: string): Route | undefined {
  const name = isRouteId(id) ? id.slice(routePrefix.length) : ''
  return Object.hasOwn(routes, name) ? routes[name] : undefined
}

/** A route as a model: it can do what every candidate can, and costs what the dearest costs. */
function routeEntry(catalogue: Catalogue, route: Route): CatalogueEntry {
  const served = servedBy(catalogue, route, { owner: 'server' })
  const shown = served.length > 0 ? served : knownOf(catalogue, route)
  const [first] = shown
  const models = shown.map(({ model }) => model)
  return {
    model: {
      id: routePrefix + route.name,
      name: route.name,
      provider: 'route',
      kind: first?.model.kind ?? 'TEXT',
      description: route.description ?? `One of ${models.map(({ id }) => id).join(', ')}.`,
      enabled: served.length > 0,
      capabilities: sharedCapabilities(models.map(({ capabilities }) => capabilities)),
      pricing: dearest(models.map(({ pricing }) => pricing)),
      route: true,
    },
    provider: 'route',
    providerModel: route.name,
    fallbacks: models.map(({ id }) => id),
    route,
    served,
  }
}

const knownOf = (catalogue: Catalogue, { candidates }: Route): CatalogueEntry[] =>
  candidates.flatMap(({ model }) => catalogue.known(model) ?? [])

/** The usable candidates that meet the route's conditions, in the order they are listed. */
export function servedBy(
  catalogue: Catalogue,
  route: Route,
  { owner, standIns }: { owner: KeyOwner; standIns?: StandIns | undefined },
): CatalogueEntry[] {
  const entries = route.candidates.flatMap(({ model }) => {
    const entry = usableModel(catalogue, model, owner)
    return entry ? [withStandIn(entry, standIns)] : []
  })
  const [first] = entries
  return entries.filter(
    ({ model, provider }) =>
      mediumOf(model.kind) === mediumOf(first?.model.kind ?? '') &&
      // An account's key is valid for one provider.
      (owner === 'server' || provider === first?.provider) &&
      (route.require ?? []).every((need) => meets(model.capabilities, need)) &&
      isWithin(model.pricing, route.maxPrice),
  )
}

type Pricing = UnitPrices | null

/** A model without a known price is within no bound. */
const isWithin = (pricing: Pricing, most: Route['maxPrice']): boolean =>
  !most ||
  boundedPrices.every((name) => {
    const [bound, price] = [most[name], pricing?.[name]]
    return bound === undefined || (price !== undefined && price <= bound)
  })

type Capabilities = CatalogueEntry['model']['capabilities']

function meets(capabilities: Capabilities, need: RouteNeed): boolean {
  switch (need) {
    case 'images':
      return capabilities.inputModalities.includes('image')
    case 'documents':
      return capabilities.documents === true
    case 'structuredOutput':
      return capabilities.structuredOutput === true
    case 'forcedToolChoice':
      return capabilities.forcedToolChoice !== false
    case 'reasoning':
      return (capabilities.reasoningEfforts ?? []).length > 0
    case 'webSearch':
      return capabilities.webSearch !== undefined
    default:
      return need satisfies never
  }
}

/** For comparing prices: about as much as a long conversation, a picture and a short video use. */
const typical = { inputTokens: 10_000, outputTokens: 1_000 }
const typicalUnits = [typical, { images: 1 }, { videoSeconds: 8 }]

/** What a typical call costs; null if that is not known. */
export function typicalPrice(pricing: Pricing): number | null {
  for (const units of typicalUnits) {
    const price = priceOf(pricing, units)
    if (price !== null) return price
  }
  return null
}

const dearest = <One extends Pricing>(all: readonly One[]): One | null =>
  all.reduce<One | null>(
    (most, one) => ((typicalPrice(one) ?? -1) > (typicalPrice(most) ?? -1) ? one : most),
    all[0] ?? null,
  )
