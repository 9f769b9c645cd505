import { createBoundedMap } from '#core/bounded-map.ts'
import type { Clock } from '#core/clock.ts'
import { ProviderError } from '#providers/provider.ts'

const failuresToOpen = 5
const firstPauseMs = 5_000
const longestPauseMs = 60_000

type Circuit = { failures: number; pauseMs: number; openUntilMs: number; isTrying: boolean }

/**
 * What can fail on its own: one model of a provider may be down, or slow, while others work. So may
 * the calls with one account's key, which say nothing about those with another.
 */
export type Served = { provider: string; providerModel: string; credentialId?: string | null }

const keyOf = ({ provider, providerModel, credentialId = null }: Served): string =>
  JSON.stringify([provider, providerModel, credentialId])

/** Of one call: whoever entered says how it ended, once. */
export type Passage = { succeeded(): void; failed(error: unknown): void }

export type CircuitBreaker = {
  /** Throws while the model is thought to be down; lets one trial through after each pause. */
  enter(served: Served): Passage
  guard<T>(served: Served, call: () => Promise<T>): Promise<T>
}

/** Per process: a model that fails again and again is left alone for a while. */
export function createCircuitBreaker(clock: Clock): CircuitBreaker {
  // Only what fails has a circuit. Without a bound, an account that keeps replacing a credential
  // while its provider is down would fill the memory.
  const circuits = createBoundedMap<Circuit>({ maxEntries: 10_000 })

  /** The circuit whose trial the call is, if it is one. */
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
      message: `${providerModel} at ${provider} failed ${circuit.failures} times in a row and is given a pause`,
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

  function enter(served: Served): Passage {
    // Most of the time nothing fails, and nothing has to be looked up.
    const trial = circuits.size === 0 ? undefined : trialOf(keyOf(served), served)
    const isUp = () => {
      if (circuits.size > 0) circuits.delete(keyOf(served))
    }
    return {
      succeeded: isUp,
      failed(error) {
        // However it ended: a trial that is never over would keep the model away for ever.
        if (trial) trial.isTrying = false
        const seen = signOf(error)
        if (seen === 'up') isUp()
        if (seen === 'down') countFailure(keyOf(served), trial)
      },
    }
  }

  return {
    enter,
    async guard(served, call) {
      const passage = enter(served)
      try {
        const result = await call()
        passage.succeeded()
        return result
      } catch (error) {
        passage.failed(error)
        throw error
      }
    },
  }
}

/** That the provider accepted has spoken for it; that its answer broke off speaks against it. */
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
 * What an error tells about the model. A refusal shows that it is alive; our own troubles tell
 * nothing, and a time limit is ours: a prompt may simply take longer than its caller allows.
 */
function signOf(error: unknown): 'up' | 'down' | 'none' {
  if (!(error instanceof ProviderError)) return 'none'
  switch (error.kind) {
    case 'unreachable':
    case 'server':
    case 'protocol':
      return 'down'
    case 'timeout':
      // With a status it was the provider that gave up, for example as 504.
      return error.status === undefined ? 'none' : 'down'
    case 'canceled':
      return 'none'
    default:
      return error.outcome === 'not_sent' ? 'none' : 'up'
  }
}
