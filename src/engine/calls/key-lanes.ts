// What calls with the keys of the server meet: limits, and pauses. As this process sees it, since
// pauses are not shared between processes. Keys of accounts are left out.
import type { Catalogue, CatalogueEntry } from '#core/catalogue.ts'
import type { Clock } from '#core/clock.ts'
import type { KeyLane, LaneLimits, LanePause } from '#core/lane.ts'
import type { Deployment, Provider } from '#providers/provider.ts'
import type { CircuitBreaker, OpenCircuit } from './circuit-breaker.ts'
import { deployed } from './deployments.ts'
import type { LaneGate } from './lane-gate.ts'

type Deps = {
  providers: ReadonlyMap<string, Provider>
  catalogue: Pick<Catalogue, 'entries'>
  limitsOf(provider: string, deployment?: string): LaneLimits | undefined
  breaker: Pick<CircuitBreaker, 'open'>
  gate: Pick<LaneGate, 'loadOf'>
  clock: Pick<Clock, 'nowMs'>
}

/** Keys without limits and pauses are left out. */
export function keyLanes(deps: Deps): KeyLane[] {
  const open = deps.breaker.open().filter(({ served }) => !served.credentialId)
  return [...deps.providers].flatMap(([provider, adapter]) => {
    const keys = adapter.deployments?.length ? adapter.deployments : [undefined]
    return keys.flatMap((key) => {
      const { entries } = deps.catalogue
      const own = entries.flatMap((entry) => {
        const at = key ? deployed(entry, key) : entry
        return entry.provider === provider && at ? [at] : []
      })
      return lanesOf(deps, { provider, adapter, key, entries: own, open })
    })
  })
}

type Key = {
  provider: string
  adapter: Provider
  key: Deployment | undefined
  entries: readonly CatalogueEntry[]
  open: readonly OpenCircuit[]
}

function lanesOf(deps: Deps, { provider, adapter, key, entries, open }: Key): KeyLane[] {
  const of = { provider, key: key?.name ?? null }
  const limits = deps.limitsOf(provider, key?.name)
  const paused = lastOf([
    ...open
      .filter(({ served }) => served.provider === provider && served.deployment === key?.name)
      .map((circuit) => failureOf(circuit, entries)),
    ...entries.flatMap((entry) => refusalOf(deps, entry)),
  ])
  if (limits) return [{ ...of, model: null, limits, paused }]
  const learnt = entries.flatMap((entry) => {
    const own = (key?.provider ?? adapter).learnt?.(entry.providerModel)
    const isPaused = paused?.model === entry.model.id
    return own
      ? [{ ...of, model: entry.model.id, limits: own, paused: isPaused ? paused : null }]
      : []
  })
  const isShown = learnt.some((lane) => lane.paused)
  return paused && !isShown ? [{ ...of, model: null, limits: {}, paused }, ...learnt] : learnt
}

const lastOf = (pauses: readonly LanePause[]): LanePause | null =>
  pauses.reduce<LanePause | null>(
    (last, pause) => (last && last.untilMs >= pause.untilMs ? last : pause),
    null,
  )

const failureOf = (
  { served, isRefused, openUntilMs }: OpenCircuit,
  entries: readonly CatalogueEntry[],
): LanePause => ({
  model: entries.find((one) => one.providerModel === served.providerModel)?.model.id ?? null,
  untilMs: openUntilMs,
  why: isRefused ? 'REFUSED' : 'FAILING',
})

/** The vendor answered with a 429 and asked to wait. */
function refusalOf({ gate, clock }: Deps, entry: CatalogueEntry): LanePause[] {
  const { pausedMs } = gate.loadOf(entry)
  if (pausedMs <= 0) return []
  return [{ model: entry.model.id, untilMs: clock.nowMs() + pausedMs, why: 'RATE_LIMIT' }]
}
