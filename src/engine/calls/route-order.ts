// The order in which the candidates of a route are asked. A conversation stays with the model that
// answered it last, because vendors cache prompts; a new one is placed by the route's own rule.
import { hash } from 'node:crypto'
import { createBoundedMap } from '#core/bounded-map.ts'
import type { CatalogueEntry } from '#core/catalogue.ts'
import type { Timers } from '#core/clock.ts'
import type { TextCall } from '#core/generation.ts'
import type { Route, RouteCandidate } from '#core/route.ts'
import { typicalPrice } from '#core/routed-catalogue.ts'

/** As long as vendors keep a prompt by default. */
const staysForMs = 5 * 60_000
/** After this time a model that was slow may be tried again. */
const measuredForMs = 10 * 60_000
const maxConversations = 50_000
const maxModels = 10_000
/** The weight of the newest measurement. */
const newest = 0.3

/** What this process has seen of routes. */
export type RouteMemory = {
  /** The model, or the key, that answered the conversation last. */
  lastOf(conversation: string): string | undefined
  stays(conversation: string, chosen: string): void
  /** Undefined if it was not measured lately. */
  latencyMs(model: string): number | undefined
  accepted(conversation: string, model: string, tookMs: number): void
}

export function createRouteMemory(timers: Pick<Timers, 'monotonicMs'>): RouteMemory {
  const conversations = createBoundedMap<{ chosen: string; atMs: number }>({
    maxEntries: maxConversations,
  })
  const latencies = createBoundedMap<{ ms: number; atMs: number }>({ maxEntries: maxModels })
  const fresh = <Seen extends { atMs: number }>(seen: Seen | undefined, forMs: number) =>
    seen && timers.monotonicMs() - seen.atMs < forMs ? seen : undefined
  const stays = (conversation: string, chosen: string) =>
    void conversations.set(conversation, { chosen, atMs: timers.monotonicMs() })
  return {
    lastOf: (conversation) => fresh(conversations.get(conversation), staysForMs)?.chosen,
    stays,
    latencyMs: (model) => fresh(latencies.get(model), measuredForMs)?.ms,
    accepted(conversation, model, tookMs) {
      const atMs = timers.monotonicMs()
      stays(conversation, model)
      const before = fresh(latencies.get(model), measuredForMs)?.ms ?? tookMs
      latencies.set(model, { ms: before + newest * (tookMs - before), atMs })
    },
  }
}

/** Enough to tell conversations apart. */
const readCharacters = 2_000

/** What all calls of one conversation have in common: who asks, and how it began. */
export function conversationOf({ principal, modelId, messages, systemPrompt }: TextCall): string {
  const first = messages.find(({ role }) => role === 'user')
  const begins = messages[0] === first ? [first] : [messages[0], first]
  const texts = begins.map((message) => textOf(message?.content).slice(0, readCharacters))
  const system = systemPrompt?.slice(0, readCharacters) ?? ''
  return hash('sha256', [principal.accountId, modelId, system, ...texts].join('\0'), 'base64url')
}

const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : (JSON.stringify(content) ?? '')

/** Without a memory, nothing has been measured, and a conversation has no past. */
type Placing = { conversation: string; memory?: RouteMemory }

/** The candidates in the order they are asked. */
export function inOrder(
  entries: readonly CatalogueEntry[],
  route: Route,
  placing: Placing,
): CatalogueEntry[] {
  const sorted = [...entries].sort(comparing(scores(entries, route, placing)))
  const last = placing.memory?.lastOf(placing.conversation)
  const index = last === undefined ? -1 : sorted.findIndex(({ model }) => model.id === last)
  return index <= 0 ? sorted : [...sorted.splice(index, 1), ...sorted]
}

type Scores = ReadonlyMap<CatalogueEntry, number>

/** Lower is first; equal ones stay as they are listed. */
const comparing = (scores: Scores) => (one: CatalogueEntry, other: CatalogueEntry) =>
  (scores.get(one) ?? 0) - (scores.get(other) ?? 0)

function scores(
  entries: readonly CatalogueEntry[],
  route: Route,
  { memory, conversation }: Placing,
): Scores {
  switch (route.sort) {
    case 'order':
      return route.candidates.some(({ weight }) => weight !== undefined)
        ? weighted(entries, route.candidates, conversation)
        : new Map()
    case 'price':
      return new Map(
        entries.map((entry) => [entry, typicalPrice(entry.model.pricing) ?? Number.MAX_VALUE]),
      )
    case 'latency':
      // One that was not measured lately comes first, so that it is.
      return new Map(entries.map((entry) => [entry, memory?.latencyMs(entry.model.id) ?? 0]))
    default:
      return route.sort satisfies never
  }
}

/**
 * Each candidate draws a number from the conversation, and its weight stretches it: every process
 * places a conversation alike, and a changed weight moves only as many as it must.
 */
function weighted(
  entries: readonly CatalogueEntry[],
  candidates: readonly RouteCandidate[],
  conversation: string,
): Scores {
  const weights = new Map(candidates.map(({ model, weight }) => [model, weight ?? 1]))
  return new Map(
    entries.map((entry) => {
      const { id } = entry.model
      return [entry, drawnFor(conversation, id, weights.get(id) ?? 1)]
    }),
  )
}

/** The lowest is chosen. */
export function drawnFor(conversation: string, name: string, weight: number): number {
  const drawn = hash('sha256', `${conversation} ${name}`, 'hex').slice(0, 12)
  const between0And1 = (Number.parseInt(drawn, 16) + 1) / (16 ** 12 + 1)
  return -Math.log(between0And1) / weight
}
