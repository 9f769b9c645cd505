// How the keys of the server are doing, as this process has seen them. Health is not shared between
// processes: each learns by its own calls, and one that does not know yet makes a call that moves.
import type { Catalogue } from '#core/catalogue.ts'
import type { Clock } from '#core/clock.ts'
import type { Provider } from '#providers/provider.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'
import { deployed } from './deployments.ts'
import type { LaneGate } from './lane-gate.ts'

export type DeploymentState = {
  provider: string
  name: string
  weight: number
  /** `refused`: the vendor refuses the key; `failing`: some model is paused; `busy`: after a 429. */
  state: 'ready' | 'busy' | 'failing' | 'refused'
  /** Since when the vendor refuses it. */
  refusedAtMs: number | null
  /** When it is tried again. */
  untilMs: number | null
}

type Deps = {
  providers: ReadonlyMap<string, Provider>
  catalogue: Pick<Catalogue, 'entries'>
  breaker: Pick<CircuitBreaker, 'open'>
  gate: Pick<LaneGate, 'loadOf'>
  clock: Pick<Clock, 'nowMs'>
}

export function deploymentStates(deps: Deps): DeploymentState[] {
  const open = deps.breaker.open()
  return [...deps.providers].flatMap(([provider, { deployments = [] }]) =>
    deployments.map((deployment) => {
      const { name, weight } = deployment
      const own = open.filter(
        ({ served }) => served.provider === provider && served.deployment === name,
      )
      const pausedMs = deps.catalogue.entries
        .filter((entry) => entry.provider === provider)
        .map((entry) => deployed(entry, deployment))
        .reduce((most, at) => Math.max(most, at ? deps.gate.loadOf(at).pausedMs : 0), 0)
      const ends = own.map(({ openUntilMs }) => openUntilMs)
      if (pausedMs > 0) ends.push(deps.clock.nowMs() + pausedMs)
      return {
        ...{ provider, name, weight },
        state: stateOf(own, pausedMs),
        refusedAtMs: own.find(({ isRefused }) => isRefused)?.openedAtMs ?? null,
        untilMs: ends.length > 0 ? Math.max(...ends) : null,
      }
    }),
  )
}

function stateOf(
  open: readonly { isRefused: boolean }[],
  pausedMs: number,
): DeploymentState['state'] {
  if (open.some(({ isRefused }) => isRefused)) return 'refused'
  if (open.length > 0) return 'failing'
  return pausedMs > 0 ? 'busy' : 'ready'
}
