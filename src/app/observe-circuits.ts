import { toRfc3339 } from '#core/clock.ts'
import type { OpenCircuit } from '#engine/calls/circuit-breaker.ts'
import type { Logger } from '#operate/log.ts'
import type { Metrics } from '#operate/metrics/metrics.ts'
import type { ProviderError } from '#providers/provider.ts'

/** A key that the vendor refuses is something that the operator has to see to. */
export const circuitObserver =
  (log: Logger, metrics: Pick<Metrics, 'deploymentPaused'>) =>
  ({ served, isRefused, openUntilMs }: OpenCircuit, err: ProviderError) => {
    const { provider, providerModel: model, deployment } = served
    if (deployment === undefined) return
    const facts = { provider, deployment, model: model || undefined, until: toRfc3339(openUntilMs) }
    metrics.deploymentPaused(provider, deployment, isRefused ? 'refused' : 'failing')
    const what = isRefused ? 'the provider refuses the key of' : 'calls keep failing with'
    log.error({ err, ...facts }, `${what} a deployment; it is paused`)
  }
