import type { Config } from '#config'
import type { RequestObserver } from '#http/observe.ts'

export type Metrics = {
  finished: RequestObserver['finished']
  taskEnded(kind: string, status: string): void
  runEnded(status: string, elapsedMs: number): void
  webhookTried(result: WebhookResult): void
  quarantined(kind: 'run' | 'task'): void
  close(): Promise<void>
}

export type WebhookResult = 'delivered' | 'refused' | 'disabled' | 'unreachable'

const uncounted: Metrics = {
  finished: () => undefined,
  taskEnded: () => undefined,
  runEnded: () => undefined,
  webhookTried: () => undefined,
  quarantined: () => undefined,
  close: async () => undefined,
}

/** Where nobody can read them nothing is counted, and the library is not loaded. */
export async function openMetrics(listen: Config['METRICS_LISTEN']): Promise<Metrics> {
  if (!listen) return uncounted
  const { openPrometheus } = await import('./prometheus.ts')
  return openPrometheus(listen)
}
