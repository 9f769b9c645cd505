// A route: one name for several models, of which one answers. A call moves from one to the next only
// if it was surely not accepted, or ended with a known bill; engine/calls/move-rule.ts decides that.
import type { UnitPrices } from './pricing.ts'

/** No model's id begins with it. */
export const routePrefix = 'route:'

export const isRouteId = (id: string): boolean => id.startsWith(routePrefix)

export const routeSorts = ['order', 'price', 'latency'] as const

/** Why a call may move to the next candidate. */
export const moveReasons = [
  'connect',
  'rate_limit',
  'unavailable',
  'context',
  'content',
  'timeout',
] as const
export type MoveReason = (typeof moveReasons)[number]

/** What a candidate must be able to do. */
export const routeNeeds = [
  'images',
  'documents',
  'structuredOutput',
  'forcedToolChoice',
  'reasoning',
  'webSearch',
] as const
export type RouteNeed = (typeof routeNeeds)[number]

/** The prices that a route may bound. */
export const boundedPrices = [
  'inputPerMillionTokens',
  'outputPerMillionTokens',
  'perImage',
  'perSecond',
] as const satisfies readonly (keyof UnitPrices)[]
export type MaxPrice = { [Name in (typeof boundedPrices)[number]]?: number }

export type RouteCandidate = {
  model: string
  /** Its share of the conversations, if any candidate has one; 1 unless given. */
  weight?: number
}

export type Route = {
  name: string
  description?: string
  candidates: readonly RouteCandidate[]
  /** `order`: as listed, or by weight if there are weights. */
  sort: (typeof routeSorts)[number]
  maxPrice?: MaxPrice
  require?: readonly RouteNeed[]
  on: readonly MoveReason[]
  /** Of all attempts but the last: how long a candidate has to accept. */
  attemptTimeoutSeconds?: number
  /** After a time-out the call may have been accepted; it moves all the same, and both may be billed. */
  mayPayTwice?: true
}

/** By name. */
export type Routes = Readonly<Record<string, Route>>

const texts = new WeakMap<Routes, string>()

/** Tells two states of an account's routes apart. Written once: it is a part of cache keys. */
export function routesText(routes: Routes | undefined): string {
  if (!routes) return ''
  const text = texts.get(routes) ?? JSON.stringify(routes)
  texts.set(routes, text)
  return text
}

export const defaultMoves: readonly MoveReason[] = ['connect', 'rate_limit', 'unavailable']

/** One model that a call was offered to, with which of the server's keys, and how that ended. */
export type RouteAttempt = {
  model: string
  outcome: (typeof attemptOutcomes)[number]
  deployment?: string | undefined
}

export const attemptOutcomes = ['answered', ...moveReasons, 'failed'] as const

/**
 * How a call came to its provider, as the ledger keeps it: absent if it named a model, its
 * provider has one key and it was made at the normal price.
 */
export type Via = {
  /** The name of the server's key. */
  deployment?: string | undefined
  /** The route that the call named. */
  route?: string | undefined
  /** Which attempt of the call it is, from 1, and the id of the first one. */
  number?: number
  first?: string
  /** How it came to cost less: a vendor's batch, or the flex tier that its answer names. */
  tier?: 'batch' | 'flex'
}

/** Counts the attempts of one call that may be offered to several models or keys. */
export type Tries = { route?: string | undefined; count: number; first?: string }

export const attemptsHeader = 'X-Atelier-Attempts'

/** In the order they were asked; empty without a route and with one key. */
export const attemptsHeaders = (
  attempts: readonly RouteAttempt[] | undefined,
): Record<string, string> =>
  attempts ? { [attemptsHeader]: attempts.map(attemptText).join(', ') } : {}

const attemptText = ({ model, outcome, deployment }: RouteAttempt): string =>
  `${model};${outcome}${deployment === undefined ? '' : `;deployment=${deployment}`}`

/** Models of these kinds are alternatives to each other. */
export const mediumOf = (kind: string): string => (kind === 'CODE' ? 'TEXT' : kind)
