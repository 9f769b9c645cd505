import type { RequestObserver } from '#http/observe.ts'

/** What a process counts while it serves and works. */
export type Metrics = {
  finished: RequestObserver['finished']
  taskEnded(kind: string, status: string): void
  runEnded(status: string, elapsedMs: number): void
  webhookTried(result: WebhookResult): void
  quarantined(kind: 'run' | 'task'): void
  close(): Promise<void>
}

export type WebhookResult = 'delivered' | 'refused' | 'disabled' | 'unreachable'
