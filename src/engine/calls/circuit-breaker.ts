import { createBoundedMap } from '#core/bounded-map.ts'
import type { Clock } from '#core/clock.ts'
import { ProviderError } from '#providers/provider.ts'

const failuresToOpen = 5
const firstPauseMs = 5_000
const longestPauseMs = 60_000
const maxCircuits = 10_000

type Circuit = { failures: number; pauseMs: number; openUntilMs: number; isTrying: boolean }

/**
 * What can fail independently: one model of a provider may be down or slow while others work, and
 * calls with one account's key may fail, which says nothing about calls with another key.
 */
export type Served = { provider: string; providerModel: string; credentialId?: string | null }

const keyOf = ({ provider, providerModel, credentialId = null }: Served): string =>
  JSON.stringify([provider, providerModel, credentialId])

/** One call through the breaker: whoever entered reports once how it ended. */
export type BreakerCall = { succeeded(): void; failed(error: unknown): void }

export type CircuitBreaker = {
  /** Throws while the model is thought to be down, without being the trial. */
  assertUp(served: Served): void
  /** Throws while the model is thought to be down; lets one trial through after each pause. */
  enter(served: Served): BreakerCall
  guard<T>(served: Served, call: () => Promise<T>): Promise<T>
}

/** One per process: a model that keeps failing is not called for a while. */
export function createCircuitBreaker(clock: Clock): CircuitBreaker {
  // Only what fails has a circuit. Without a bound, an account that keeps replacing a credential
  // while its provider is down would fill the memory.
  // By bytes, because a bound on entries takes the memory for all of them at once.
  const circuits = createBoundedMap<Circuit>({ maxBytes: maxCircuits, bytesOf: () => 1 })

  /** The circuit, if this call is its trial. */
  function trialOf(key: string, { provider, providerModel }: Served): Circuit | undefined {
    const circuit = circuits.get(key)
    if (!circuit || circuit.failures < failuresToOpen) return undefined
    const remainingMs = circuit.openUntilMs - clock.nowMs()
    if (remainingMs <= 0 && !circuit.isTrying) {
      circuit.isTrying = true
      return circuit
    }
    throw new ProviderError('unreachable', {
      outcome: 'not_sent',
      message: `${providerModel} at ${provider} failed ${circuit.failures} times in a row and is paused`,
      retryAfterMs: Math.max(remainingMs, 1000),
    })
  }

  /**
   * Calls that were under way when the circuit opened say nothing new: only a failed trial counts
   * then. Otherwise a hundred parallel calls would make the first pause the longest one.
   */
  function countFailure(key: string, trial: Circuit | undefined) {
    const circuit = circuits.get(key) ?? newCircuit()
    circuits.set(key, circuit)
    const isOpen = circuit.failures >= failuresToOpen
    if (isOpen && circuit !== trial) return
    circuit.failures += 1
    if (circuit.failures < failuresToOpen) return
    circuit.openUntilMs = clock.nowMs() + circuit.pauseMs
    circuit.pauseMs = Math.min(circuit.pauseMs * 2, longestPauseMs)
  }

  function enter(served: Served): BreakerCall {
    // Most of the time nothing fails, and nothing has to be looked up.
    const trial = circuits.size === 0 ? undefined : trialOf(keyOf(served), served)
    const isUp = () => {
      if (circuits.size > 0) circuits.delete(keyOf(served))
    }
    return {
      succeeded: isUp,
      failed(error) {
        // Whatever the error: a trial that never ends would block the model for ever.
        if (trial) trial.isTrying = false
        const seen = signOf(error)
        if (seen === 'up') isUp()
        if (seen === 'down') countFailure(keyOf(served), trial)
      },
    }
  }

  return {
    enter,
    assertUp: (served) => enter(served).failed(null),
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

/** Counts a broken-off answer as a failure, although accepting the call counted as a success. */
export function countBreak(breaker: CircuitBreaker, served: Served, error: ProviderError) {
  try {
    breaker.enter(served).failed(error)
  } catch {
    // The circuit is open already.
  }
}

const newCircuit = (): Circuit => ({
  failures: 0,
  pauseMs: firstPauseMs,
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
