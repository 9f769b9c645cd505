import type { Config } from '#config'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '../log.ts'
import type { Metrics, Tracing } from '../metrics/metrics.ts'

type Deps = { config: Config; clock: Clock; log: Logger; metrics: Metrics }

/** Null if no collector is configured; then none of the code is loaded. */
export async function openTracing(deps: Deps): Promise<Tracing | null> {
  if (deps.config.OTEL_EXPORTER_OTLP_ENDPOINT === '') return null
  const { createTracing } = await import('./create-tracing.ts')
  return createTracing(deps)
}

/** Metrics are notified before traces. */
export function withTraces(metrics: Metrics, tracing: Tracing | null): Metrics {
  if (!tracing) return metrics
  return {
    ...metrics,
    began: tracing.began,
    runSubmitted: tracing.runSubmitted,
    finished(...event) {
      metrics.finished(...event)
      tracing.finished(...event)
    },
    runEnded(...event) {
      metrics.runEnded(...event)
      tracing.runEnded(...event)
    },
    stepEnded(step) {
      metrics.stepEnded(step)
      tracing.stepEnded(step)
    },
    callSettled(call) {
      metrics.callSettled?.(call)
      tracing.callSettled(call)
    },
  }
}
