import type { Clock } from '#core/clock.ts'
import { ProviderError } from '#providers/provider.ts'

const failuresToOpen = 5
const firstPauseMs = 5_000
const longestPauseMs = 60_000

type Circuit = { failures: number; pauseMs: number; openUntilMs: number; isTrying: boolean }

/** Of one call: whoever entered says how it ended, once. */
export type Passage = { succeeded(): void; failed(error: unknown): void }

export type CircuitBreaker = {
  /** Throws while the provider is thought to be down; lets one trial through after each pause. */
  enter(provider: string): Passage
  guard<T>(provider: string, call: () => Promise<T>): Promise<T>
}

/** Per process: a provider that fails again and again is left alone for a while. */
export function createCircuitBreaker(clock: Clock): CircuitBreaker {
  const circuits = new Map<string, Circuit>()

  /** The circuit whose trial the call is, if it is one. */
  function trialOf(provider: string): Circuit | undefined {
    const circuit = circuits.get(provider)
    if (!circuit || circuit.failures < failuresToOpen) return undefined
    const remainingMs = circuit.openUntilMs - clock.nowMs()
    if (remainingMs <= 0 && !circuit.isTrying) {
      circuit.isTrying = true
      return circuit
    }
    throw new ProviderError('unreachable', {
      outcome: 'not_sent',
      message: `${provider} failed ${circuit.failures} times in a row and is given a pause`,
      retryAfterMs: Math.max(remainingMs, 1000),
    })
  }

  function failed(provider: string) {
    const circuit = circuits.get(provider) ?? newCircuit()
    circuits.set(provider, circuit)
    circuit.failures += 1
    if (circuit.failures < failuresToOpen) return
    circuit.openUntilMs = clock.nowMs() + circuit.pauseMs
    circuit.pauseMs = Math.min(circuit.pauseMs * 2, longestPauseMs)
  }

  function enter(provider: string): Passage {
    const trial = trialOf(provider)
    return {
      succeeded() {
        circuits.delete(provider)
      },
      failed(error) {
        // However it ended: a trial that is never over would keep the provider away for ever.
        if (trial) trial.isTrying = false
        const seen = signOf(error)
        if (seen === 'up') circuits.delete(provider)
        if (seen === 'down') failed(provider)
      },
    }
  }

  return {
    enter,
    async guard(provider, call) {
      const passage = enter(provider)
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

const newCircuit = (): Circuit => ({
  failures: 0,
  pauseMs: firstPauseMs,
  openUntilMs: 0,
  isTrying: false,
})

/** What an error tells about the provider. A refusal shows that it is alive; our own troubles nothing. */
function signOf(error: unknown): 'up' | 'down' | 'none' {
  if (!(error instanceof ProviderError)) return 'none'
  switch (error.kind) {
    case 'unreachable':
    case 'timeout':
    case 'server':
    case 'protocol':
      return 'down'
    case 'canceled':
      return 'none'
    default:
      return error.outcome === 'not_sent' ? 'none' : 'up'
  }
}
