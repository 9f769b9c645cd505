import type { Config } from '#config'
import type { MetricSources, Metrics } from './metrics.ts'

export const uncounted: Metrics = {
  finished: () => undefined,
  taskEnded: () => undefined,
  runSubmitted: () => undefined,
  runEnded: () => undefined,
  spendRefused: () => undefined,
  budgetPassed: () => undefined,
  webhookTried: () => undefined,
  triggerFired: () => undefined,
  waitEnded: () => undefined,
  batchChanged: () => undefined,
  quarantined: () => undefined,
  providerRefused: () => undefined,
  watchLanes: () => undefined,
  deploymentPaused: () => undefined,
  stepEnded: () => undefined,
  spansDropped: () => undefined,
  close: async () => undefined,
}

/** Without an address to read them from, nothing is counted and the library is not loaded. */
export async function openMetrics(
  listen: Config['METRICS_LISTEN'],
  sources: MetricSources,
): Promise<Metrics> {
  if (!listen) return uncounted
  const { openPrometheus } = await import('./prometheus.ts')
  return openPrometheus(listen, sources)
}
