import type { Clock } from '#core/clock.ts'
import { ProviderError } from '#providers/provider.ts'

const failuresToOpen = 5
const firstPauseMs = 5_000
const longestPauseMs = 60_000

type Circuit = { failures: number; pauseMs: number; openUntilMs: number; isTrying: boolean }

export type CircuitBreaker = {
  /** Throws while the provider is thought to be down; lets one trial through after each pause. */
  enter(provider: string): void
  succeeded(provider: string): void
  failed(provider: string, error: ProviderError): void
}

/** Per process: a provider that fails again and again is left alone for a while. */
export function createCircuitBreaker(clock: Clock): CircuitBreaker {
  const circuits = new Map<string, Circuit>()
  const circuitOf = (provider: string) => {
    const circuit = circuits.get(provider) ?? {
      failures: 0,
      pauseMs: firstPauseMs,
      openUntilMs: 0,
      isTrying: false,
    }
    circuits.set(provider, circuit)
    return circuit
  }
  return {
    enter(provider) {
      const circuit = circuits.get(provider)
      if (!circuit || circuit.failures < failuresToOpen) return
      const remainingMs = circuit.openUntilMs - clock.nowMs()
      if (remainingMs <= 0 && !circuit.isTrying) {
        circuit.isTrying = true
        return
      }
      throw new ProviderError('unreachable', {
        outcome: 'not_sent',
        message: `${provider} failed ${circuit.failures} times in a row and is given a pause`,
        retryAfterMs: Math.max(remainingMs, 1000),
      })
    },
    succeeded(provider) {
      if (circuits.has(provider)) circuits.delete(provider)
    },
    failed(provider, error) {
      const circuit = circuitOf(provider)
      circuit.isTrying = false
      if (!isOutage(error)) {
        circuits.delete(provider)
        return
      }
      circuit.failures += 1
      if (circuit.failures < failuresToOpen) return
      circuit.openUntilMs = clock.nowMs() + circuit.pauseMs
      circuit.pauseMs = Math.min(circuit.pauseMs * 2, longestPauseMs)
    },
  }
}

/** A refusal shows that the provider is alive. */
const isOutage = ({ kind }: ProviderError) =>
  kind === 'unreachable' || kind === 'timeout' || kind === 'server' || kind === 'protocol'
