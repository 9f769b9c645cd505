import { toRfc3339 } from './clock.ts'
import type { Money } from './money.ts'

/** A run at the moment it reaches a terminal status, in the words callers read. */
export type EndedRun = {
  runId: string
  accountId: string
  workflowId: number
  status: 'COMPLETED' | 'FAILED' | 'CANCELLED'
  /** `beyond-webhooks`: alone they are larger than an event may be. */
  outputs: Readonly<Record<string, unknown>> | 'beyond-webhooks' | null
  nodeErrors: readonly object[]
  metadata: Readonly<Record<string, unknown>>
  cost: Money
  createdAtMs: number
  completedAtMs: number
  inFlightTaskMayComplete: boolean
  /** Null: nobody is told. */
  callbackUrl: string | null
}

export type WebhookType =
  | 'workflow.run.completed'
  | 'workflow.run.failed'
  | 'workflow.run.cancelled'

const types: Record<EndedRun['status'], WebhookType> = {
  COMPLETED: 'workflow.run.completed',
  FAILED: 'workflow.run.failed',
  CANCELLED: 'workflow.run.cancelled',
}

const maxBodyBytes = 64 * 1024

/** The event of an ended run. Its text is what is signed, so it is made once and kept. */
export function runWebhook(run: EndedRun, runUrl: string): { type: WebhookType; body: string } {
  const { runId, workflowId, status, outputs, nodeErrors } = run
  const { metadata, cost, inFlightTaskMayComplete } = run
  const completedAt = toRfc3339(run.completedAtMs)
  const createdAt = toRfc3339(run.createdAtMs)
  const type = types[status]
  const bodyWith = (results: object) => {
    const facts = { metadata, cost, createdAt, completedAt, inFlightTaskMayComplete, runUrl }
    const data = { runId, workflowId, status, ...results, ...facts }
    return JSON.stringify({ type, timestamp: completedAt, data })
  }
  const whole = bodyWith({ outputs, nodeErrors })
  const isTooLarge = outputs === 'beyond-webhooks' || Buffer.byteLength(whole) > maxBodyBytes
  return { type, body: isTooLarge ? bodyWith({ truncated: true }) : whole }
}

/** Queries of callback addresses often carry secrets; they are sent, never shown. */
export const withoutQuery = (url: string): string => url.replace(/[?#].*$/s, '')
