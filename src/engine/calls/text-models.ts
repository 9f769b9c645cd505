// The models that a text call is offered to, their prices, and the most it can cost with any.

import {
  type Catalogue,
  type CatalogueEntry,
  ownerOf,
  usableFallbacks,
  usableModel,
  withStandIn,
} from '#core/catalogue.ts'
import { Failure } from '#core/errors.ts'
import type { TextCall } from '#core/generation.ts'
import { highestPrice } from '#core/pricing.ts'
import type { Route, Tries } from '#core/route.ts'
import { servedBy, withRoutes } from '#core/routed-catalogue.ts'
import type { Message } from '#providers/provider.ts'
import { boundsOf } from './call-bounds.ts'
import { conversationOf, inOrder } from './route-order.ts'

type Filled<Item> = readonly [Item, ...Item[]]

const isFilled = <Item>(items: readonly Item[]): items is Filled<Item> => items.length > 0

/** The models that may answer, as listed; `route` if the call names one. */
export type Candidates = {
  entries: Filled<CatalogueEntry>
  route?: Route | undefined
  /** If there are several, or a route is named. */
  tries?: Tries
}

export function candidates(catalogue: Catalogue, call: TextCall): Candidates {
  const offered = allCandidates(catalogue, call)
  const flexible = call.tier && firstWith(offered, call, 'flexPricing')
  return flexible ? { entries: [flexible] } : offered
}

/**
 * Who takes a call at a lower price: of a route's candidates that do so, the one that it would ask
 * first. Fallbacks answer in place of a model that is down; while a batch or tier is full, none is.
 */
export function firstWith(
  { entries, route }: Candidates,
  call: TextCall,
  price: 'batchPricing' | 'flexPricing',
): CatalogueEntry | undefined {
  if (!route) return entries[0][price] && entries[0]
  const offering = entries.filter((entry) => entry[price])
  return inOrder(offering, route, { conversation: conversationOf(call) })[0]
}

function allCandidates(catalogue: Catalogue, call: TextCall): Candidates {
  const { modelId, credential, principal } = call
  const owner = ownerOf(credential)
  const { standIns, routes } = principal
  const first = usableModel(withRoutes(catalogue, routes), modelId, owner)
  if (!first) throw new Failure('MODEL_NOT_FOUND')
  const { route } = first
  if (route) {
    const isPlain = owner === 'server' && !standIns && first.served
    const served = isPlain ? first.served : servedBy(catalogue, route, { owner, standIns })
    return routed(route, served)
  }
  const chosen = withStandIn(first, standIns)
  if (first.fallbacks.length === 0) return { entries: [chosen] }
  const others = usableFallbacks(catalogue, first, owner)
  const entries = [chosen, ...others.map((entry) => withStandIn(entry, standIns))] as const
  return { entries, tries: { count: 0 } }
}

function routed(route: Route, served: readonly CatalogueEntry[] = []): Candidates {
  if (isFilled(served)) return { entries: served, route, tries: { route: route.name, count: 0 } }
  const message = `No model of the route "${route.name}" can be used now.`
  throw new Failure('MODEL_NOT_FOUND', { message })
}

/** The highest cost of a call, whichever of its models answers; null if no price is known. */
export function highestCost(
  catalogue: Catalogue,
  call: TextCall,
  messages: readonly Message[],
): number | null {
  return dearestOf(candidates(catalogue, call).entries, call, messages)
}

/** Those without a price are left out. */
export function dearestOf(
  entries: readonly CatalogueEntry[],
  call: Pick<TextCall, 'maxTokens'>,
  messages: readonly Message[],
): number | null {
  const costs = entries.map(({ model }) =>
    highestPrice(model.pricing, boundsOf(call, messages, { model, isLimited: true }).most),
  )
  return costs.reduce(
    (highest, cost) => (cost === null ? highest : Math.max(cost, highest ?? 0)),
    null,
  )
}

const priceTexts = new WeakMap<object, string>()

/** Cached, because prices do not change while a catalogue lasts. */
export function priceText(pricing: object): string {
  const known = priceTexts.get(pricing)
  if (known !== undefined) return known
  const text = JSON.stringify(pricing)
  priceTexts.set(pricing, text)
  return text
}
