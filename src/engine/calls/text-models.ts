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
import type { Message } from '#providers/provider.ts'
import { boundsOf } from './call-bounds.ts'

type PickedModel = Pick<TextCall, 'modelId' | 'credential' | 'principal'>

export function candidates(
  catalogue: Catalogue,
  { modelId, credential, principal: { standIns } }: PickedModel,
): [CatalogueEntry, ...CatalogueEntry[]] {
  const owner = ownerOf(credential)
  const first = usableModel(catalogue, modelId, owner)
  if (!first) throw new Failure('MODEL_NOT_FOUND')
  const chosen = withStandIn(first, standIns)
  if (first.fallbacks.length === 0) return [chosen]
  const others = usableFallbacks(catalogue, first, owner)
  return [chosen, ...others.map((entry) => withStandIn(entry, standIns))]
}

/** The highest cost of a call, whichever of its models answers; null if no price is known. */
export function highestCost(
  catalogue: Catalogue,
  call: TextCall,
  messages: readonly Message[],
): number | null {
  const costs = candidates(catalogue, call).map(({ model }) =>
    highestPrice(model.pricing, boundsOf(call, messages, { model, isLimited: true }).most),
  )
  return costs.reduce((highest, cost) => (cost === null ? highest : Math.max(cost, highest ?? 0)))
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
