// Which of a provider's keys makes a call, if the operator named several. A conversation stays with
// the key that answered it last, because vendors cache prompts by key; a new one is placed by
// weight. Keys that fail, are refused, are paused after a 429 or have a queue come after the others.
// A call moves to the next key by the rule for models (move-rule.ts): only if it was surely not
// accepted. A provider with one key never comes here.
import { randomUUID } from 'node:crypto'
import type { CatalogueEntry } from '#core/catalogue.ts'
import { type Deployment, type Provider, ProviderError } from '#providers/provider.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'
import type { LaneGate } from './lane-gate.ts'
import { mayMove } from './move-rule.ts'
import { namingKey } from './provider-failure.ts'
import { drawnFor, type RouteMemory } from './route-order.ts'

export type DeploymentDeps = {
  breaker: Pick<CircuitBreaker, 'isUp'>
  gate: Pick<LaneGate, 'loadOf'>
  /** Only for conversations. */
  routeMemory?: Pick<RouteMemory, 'lastOf' | 'stays'>
}

type Order = {
  entry: CatalogueEntry
  deployments: readonly Deployment[]
  /** What all calls that are to stay together have in common, if any others are. */
  conversation?: string
  medium: 'text' | 'media'
}

/** The model at this key; undefined if the key does not have it. */
export function deployed(
  entry: CatalogueEntry,
  { name, models }: Deployment,
): CatalogueEntry | undefined {
  const providerModel = models ? models.get(entry.providerModel) : entry.providerModel
  return providerModel === undefined ? undefined : { ...entry, providerModel, deployment: name }
}

/** The provider with the key that the entry names. */
export const providerOf = (
  providers: ReadonlyMap<string, Provider>,
  { provider, deployment }: CatalogueEntry,
): Provider | undefined => {
  const found = providers.get(provider)
  if (deployment === undefined) return found
  return found?.deployments?.find(({ name }) => name === deployment)?.provider
}

type Attempting<T> = (entry: CatalogueEntry, terms: { hasOther: boolean }) => Promise<T>

/** Makes the call with one key after the other, until one accepts it or it may not move. */
export async function firstOfKeys<T>(
  deps: DeploymentDeps,
  order: Order,
  attempt: Attempting<T>,
): Promise<T> {
  const { conversation, entry: asked } = order
  const place = conversation && `${conversation} ${asked.provider}`
  let left = preferred(order, place && deps.routeMemory?.lastOf(place))
  let refused: unknown = noneHas(asked)
  for (let isFirst = true; ; isFirst = false) {
    const [best, next] = inStanding(deps, left)
    // One that is down is asked only if there is no other, for the error that says so.
    if (!best || (!isFirst && best.standing === standings.down)) throw refused
    const { entry } = best
    try {
      // In a queue it stays, since the others have longer ones.
      const isFree = best.standing === standings.ready
      const hasOther = isFree && next !== undefined && next.standing < standings.paused
      const made = await attempt(entry, { hasOther })
      if (place) deps.routeMemory?.stays(place, entry.deployment ?? '')
      return made
    } catch (error) {
      refused = namingKey(error, `deployment "${entry.deployment}"`)
      if (!mayMove(error, undefined, order.medium)) throw refused
      left = left.filter((other) => other !== entry)
    }
  }
}

/** The preferred one first: that of the conversation, then by weight. */
function preferred(
  { entry, deployments, conversation = randomUUID() }: Order,
  last: string | undefined,
): CatalogueEntry[] {
  return deployments
    .flatMap((deployment) => {
      const at = deployed(entry, deployment)
      const { name, weight } = deployment
      const drawn = name === last ? -1 : drawnFor(conversation, name, weight)
      return at ? [{ at, drawn }] : []
    })
    .sort((one, other) => one.drawn - other.drawn)
    .map(({ at }) => at)
}

const standings = { ready: 0, full: 1, paused: 2, down: 3 } as const

type Standing = { entry: CatalogueEntry; standing: number; wait: number }

/** Those that can take a call at once, then those with the shortest queue or pause. */
const inStanding = (deps: DeploymentDeps, entries: readonly CatalogueEntry[]): Standing[] =>
  entries
    .map((entry) => ({ entry, ...standingOf(deps, entry) }))
    .sort((one, other) => one.standing - other.standing || one.wait - other.wait)

function standingOf({ breaker, gate }: DeploymentDeps, entry: CatalogueEntry) {
  if (!breaker.isUp(entry)) return { standing: standings.down, wait: 0 }
  const { pausedMs, waiting } = gate.loadOf(entry)
  if (pausedMs > 0) return { standing: standings.paused, wait: pausedMs }
  return { standing: waiting > 0 ? standings.full : standings.ready, wait: waiting }
}

const noneHas = ({ provider, providerModel }: CatalogueEntry) =>
  new ProviderError('not_found', {
    outcome: 'not_sent',
    message: `No deployment of ${provider} has the model ${providerModel}.`,
  })
