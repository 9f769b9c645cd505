import type { SettledCall } from '#core/settled-call.ts'
import type { RequestObserver } from '#http/observe.ts'
import type { Db } from '#store/db.ts'

/** What a process counts while it serves and works. */
export type Metrics = {
  finished: RequestObserver['finished']
  taskEnded(kind: string, status: string): void
  runEnded(status: string, elapsedMs: number): void
  webhookTried(result: WebhookResult): void
  quarantined(kind: 'run' | 'task'): void
  callSettled(call: SettledCall): void
  stepEnded(kind: string, status: string, elapsedMs: number): void
  close(): Promise<void>
}

export type WebhookResult = 'delivered' | 'refused' | 'disabled' | 'unreachable'

/** What is looked up when somebody asks for the metrics. */
export type MetricSources = {
  db: Db
  nowMs(): number
}
