// Limits and pauses of provider keys as one account meets them: its own calls are counted, never
// those of others.
import { toRfc3339 } from '#core/clock.ts'
import { type KeyLane, pauseReasons } from '#core/lane.ts'
import { type Static, Type } from '#core/schema.ts'
import { liveDelays, maxDelayed } from '#store/tables/live-delays.ts'
import { type KeyCalls, keysInFlight } from '#store/tables/live-work.ts'
import { Closed, NamedRecord, Nullable, OneOf, Timestamp } from '../../schemas.ts'
import type { ConsoleServices } from '../context.ts'

const limit = (description: string) => Nullable(Type.Integer({ minimum: 1, description }))

const LiveKey = NamedRecord('LiveKey', {
  name: Nullable(Type.String({ description: 'Of the key, if the provider has several.' })),
  model: Nullable(Type.String({ description: 'The only model that these limits are for.' })),
  concurrency: limit('Calls at once.'),
  requestsPerMinute: limit('Null means no limit.'),
  tokensPerMinute: limit('Null means no limit.'),
  inFlight: Type.Integer({ minimum: 0, description: 'Calls of the account with this key.' }),
  paused: Nullable(
    Closed(
      {
        until: Timestamp,
        why: OneOf(
          pauseReasons,
          'RATE_LIMIT: the provider asked to wait. FAILING: calls kept failing. REFUSED: the provider refuses the key.',
        ),
        model: Nullable(Type.String({ description: 'Null: all models.' })),
      },
      { description: 'Calls are not made until then, as the answering process sees it.' },
    ),
  ),
})

export const LiveLane = NamedRecord('LiveLane', {
  provider: Type.String(),
  waiting: Type.Integer({
    minimum: 0,
    description: `Calls of runs and tasks of the account that wait for their turn, or because the provider asked for it. At most ${maxDelayed} runs of a state are looked at.`,
  }),
  oldestAt: Nullable({ ...Timestamp, description: 'Since when the oldest of them waits.' }),
  nextAt: Nullable({ ...Timestamp, description: 'When the first of them goes on, if known.' }),
  keys: Type.Array(LiveKey, { description: 'Keys of the server with limits or a pause.' }),
})

export async function lanesOf(
  { db, lanes, api }: ConsoleServices,
  accountId: string,
): Promise<Static<typeof LiveLane>[]> {
  const known = lanes()
  const [delays, calls] = await Promise.all([
    liveDelays(db, accountId),
    known.length === 0 ? [] : keysInFlight(db, accountId),
  ])
  const providerOf = new Map(
    api.catalogue.entries.map(({ model, provider }) => [model.id, provider]),
  )
  const waiting = Map.groupBy(delays, ({ model = '' }) => providerOf.get(model) ?? '')
  waiting.delete('')
  const providers = new Set([...known.map(({ provider }) => provider), ...waiting.keys()])
  return [...providers].sort().map((provider) => {
    const own = waiting.get(provider) ?? []
    return {
      provider,
      waiting: own.length,
      oldestAt: earliest(own.map(({ sinceMs }) => sinceMs)),
      nextAt: earliest(own.flatMap(({ untilMs }) => untilMs ?? [])),
      keys: known.filter((lane) => lane.provider === provider).map((lane) => keyOf(lane, calls)),
    }
  })
}

const earliest = (times: readonly number[]) =>
  times.length === 0 ? null : toRfc3339(Math.min(...times))

const keyOf = (
  { provider, key, model, limits, paused }: KeyLane,
  calls: readonly KeyCalls[],
): Static<typeof LiveKey> => ({
  name: key,
  model,
  concurrency: limits.concurrency ?? null,
  requestsPerMinute: limits.requestsPerMinute ?? null,
  tokensPerMinute: limits.tokensPerMinute ?? null,
  inFlight: calls.filter(
    (call) =>
      call.provider === provider && call.key === key && (model === null || call.model === model),
  ).length,
  paused: paused && {
    until: toRfc3339(paused.untilMs),
    why: paused.why,
    model: paused.model,
  },
})
