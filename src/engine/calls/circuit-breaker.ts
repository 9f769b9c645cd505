import { createBoundedMap } from '#core/bounded-map.ts'
import type { Clock } from '#core/clock.ts'
import type { LaneLimits } from '#core/lane.ts'
import { ProviderError } from '#providers/provider.ts'

/** When a circuit opens, and for how long it is left alone before each trial. */
type Rule = { failures: number; firstPauseMs: number; longestPauseMs: number }

const failing: Rule = { failures: 5, firstPauseMs: 5_000, longestPauseMs: 60_000 }
/** Of a key that the vendor refuses. Somebody has to do something about it, which takes longer. */
const refused: Rule = { failures: 1, firstPauseMs: 60_000, longestPauseMs: 3_600_000 }

const maxCircuits = 10_000

type Circuit = {
  served: Served
  rule: Rule
  failures: number
  pauseMs: number
  openedAtMs: number
  openUntilMs: number
  isTrying: boolean
}

/**
 * What can fail independently: one model of a provider may be down or slow while others work, and
 * calls with one key may fail, which says nothing about calls with another.
 */
export type Served = {
  provider: string
  providerModel: string
  credentialId?: string | null | undefined
  /** The name of the server's key, if it has several for the provider. */
  deployment?: string | undefined
  /** What the vendor says that this model may do with the key. */
  learnt?: LaneLimits | undefined
}

export const keyOf = ({
  provider,
  providerModel,
  credentialId = null,
  deployment,
}: Served): string => JSON.stringify([provider, providerModel, credentialId, deployment])

/** Stands for all models, as no model's name is empty. */
const allModels = ''

/** One call through the breaker: whoever entered reports once how it ended. */
export type BreakerCall = { succeeded(): void; failed(error: unknown): void }

export type OpenCircuit = {
  /** Without a model: all models with this key. */
  served: Served
  isRefused: boolean
  /** Since the first failure that paused it. */
  openedAtMs: number
  openUntilMs: number
}

export type CircuitBreaker = {
  /** Throws while the model is thought to be down, without being the trial. */
  assertUp(served: Served): void
  /** Throws while the model is thought to be down; lets one trial through after each pause. */
  enter(served: Served): BreakerCall
  /** Whether `enter` would let a call through. */
  isUp(served: Served): boolean
  /** What is paused or on trial. */
  open(): OpenCircuit[]
  guard<T>(served: Served, call: () => Promise<T>): Promise<T>
}

type Options = { onOpened?(circuit: OpenCircuit, error: ProviderError): void }

/** One per process: a model that keeps failing is not called for a while. */
export function createCircuitBreaker(
  clock: Pick<Clock, 'nowMs'>,
  { onOpened }: Options = {},
): CircuitBreaker {
  // Only what fails has a circuit. Without a bound, an account that keeps replacing a credential
  // while its provider is down would fill the memory.
  // By bytes, because a bound on entries takes the memory for all of them at once.
  const circuits = createBoundedMap<Circuit>({ maxBytes: maxCircuits, bytesOf: () => 1 })
  const circuitsOf = (served: Served) => scopesOf(served).map((scope) => circuits.get(keyOf(scope)))
  const openOf = (served: Served) => circuitsOf(served).filter(isOpen)
  const remainingMs = ({ openUntilMs }: Circuit) => openUntilMs - clock.nowMs()
  const mayTry = (circuit: Circuit) => remainingMs(circuit) <= 0 && !circuit.isTrying

  /** The circuits that this call is the trial of. */
  function trialsOf(served: Served): Circuit[] {
    const open = openOf(served)
    const closed = open.find((circuit) => !mayTry(circuit))
    if (closed) throw paused(closed, remainingMs(closed))
    for (const circuit of open) circuit.isTrying = true
    return open
  }

  /**
   * Calls that were under way when the circuit opened say nothing new: only a failed trial counts
   * then. Otherwise a hundred parallel calls would make the first pause the longest one.
   */
  function countFailure(served: Served, rule: Rule, trials: readonly Circuit[], error: unknown) {
    const key = keyOf(served)
    const known = circuits.get(key)
    if (known && isOpen(known) && !trials.includes(known)) return
    const circuit = known?.rule === rule ? known : newCircuit(served, rule)
    circuits.set(key, circuit)
    circuit.failures += 1
    if (!isOpen(circuit)) return
    circuit.openedAtMs ||= clock.nowMs()
    circuit.openUntilMs = clock.nowMs() + circuit.pauseMs
    circuit.pauseMs = Math.min(circuit.pauseMs * 2, rule.longestPauseMs)
    if (error instanceof ProviderError) onOpened?.(described(circuit), error)
  }

  function enter(served: Served): BreakerCall {
    // Most of the time nothing fails, and nothing has to be looked up.
    const trials = circuits.size === 0 ? none : trialsOf(served)
    const isUp = () => {
      if (circuits.size > 0) for (const scope of scopesOf(served)) circuits.delete(keyOf(scope))
    }
    return {
      succeeded: isUp,
      failed(error) {
        // Whatever the error: a trial that never ends would block the model for ever.
        for (const trial of trials) trial.isTrying = false
        const [seen, scope] = [signOf(error), refusedScope(served, error)]
        if (scope) countFailure(scope, refused, trials, error)
        else if (seen === 'up') isUp()
        else if (seen === 'down') countFailure(served, failing, trials, error)
      },
    }
  }

  return {
    enter,
    assertUp: (served) => enter(served).failed(null),
    isUp: (served) => circuits.size === 0 || openOf(served).every(mayTry),
    open: () => [...circuits.values()].filter(isOpen).map(described),
    async guard(served, call) {
      const entered = enter(served)
      try {
        const result = await call()
        entered.succeeded()
        return result
      } catch (error) {
        entered.failed(error)
        throw error
      }
    },
  }
}

const none: readonly Circuit[] = []

const isOpen = (circuit: Circuit | undefined): circuit is Circuit =>
  circuit !== undefined && circuit.failures >= circuit.rule.failures

const described = ({ served, rule, openedAtMs, openUntilMs }: Circuit): OpenCircuit => ({
  served,
  isRefused: rule === refused,
  openedAtMs,
  openUntilMs,
})

/** With one of several keys of the server, the whole key may be refused. */
const scopesOf = (served: Served): Served[] =>
  served.deployment === undefined ? [served] : [served, { ...served, providerModel: allModels }]

/**
 * What a vendor's refusal of one of several keys closes: a key that is wrong (401) or without
 * credit (402), or else (403) only this model, which that key may not call. A single key is asked
 * every time, since nothing else could answer.
 */
function refusedScope(served: Served, error: unknown): Served | undefined {
  if (served.deployment === undefined || !(error instanceof ProviderError)) return undefined
  if (error.kind !== 'auth' || error.outcome !== 'rejected') return undefined
  return error.status === 403 ? served : { ...served, providerModel: allModels }
}

function paused({ served, rule, failures }: Circuit, remainingMs: number): ProviderError {
  const { provider, providerModel, deployment } = served
  const key = deployment === undefined ? '' : ` (deployment "${deployment}")`
  const what =
    providerModel === allModels ? `${provider}${key}` : `${providerModel} at ${provider}${key}`
  const why = rule === refused ? 'refused the key' : `failed ${failures} times in a row`
  return new ProviderError('unreachable', {
    outcome: 'not_sent',
    message: `${what} ${why} and is paused`,
    retryAfterMs: Math.max(remainingMs, 1000),
  })
}

/** Counts a broken-off answer as a failure, although accepting the call counted as a success. */
export function countBreak(breaker: CircuitBreaker, served: Served, error: ProviderError) {
  try {
    breaker.enter(served).failed(error)
  } catch {
    // The circuit is open already.
  }
}

const newCircuit = ({ provider, providerModel, credentialId, deployment }: Served, rule: Rule) => ({
  served: { provider, providerModel, credentialId, deployment },
  rule,
  failures: 0,
  pauseMs: rule.firstPauseMs,
  openedAtMs: 0,
  openUntilMs: 0,
  isTrying: false,
})

/**
 * What an error says about the model. A refusal shows that it is up; our own errors say nothing.
 * A time limit is our own: a prompt may simply take longer than its caller allows.
 */
function signOf(error: unknown): 'up' | 'down' | 'none' {
  if (!(error instanceof ProviderError)) return 'none'
  switch (error.kind) {
    case 'unreachable':
    case 'server':
    case 'protocol':
      return 'down'
    case 'timeout':
      // With a status, it was the provider that timed out, for example with 504.
      return error.status === undefined ? 'none' : 'down'
    case 'canceled':
      return 'none'
    default:
      return error.outcome === 'not_sent' ? 'none' : 'up'
  }
}
