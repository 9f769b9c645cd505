import { toRfc3339 } from './clock.ts'
import type { Money } from './money.ts'

/** A run that has reached a terminal status, with the field names that callers see. */
export type EndedRun = {
  runId: string
  accountId: string
  workflowId: number
  status: 'COMPLETED' | 'FAILED' | 'CANCELLED'
  /** `beyond-webhooks`: the outputs alone are larger than an event may be. */
  outputs: Readonly<Record<string, unknown>> | 'beyond-webhooks' | null
  nodeErrors: readonly object[]
  metadata: Readonly<Record<string, unknown>>
  cost: Money
  createdAtMs: number
  completedAtMs: number
  inFlightTaskMayComplete: boolean
  /** Null if the run has no webhook. */
  callbackUrl: string | null
}

export type WebhookType =
  | 'workflow.run.completed'
  | 'workflow.run.failed'
  | 'workflow.run.cancelled'
  | 'workflow.run.waiting'
  | 'budget.alert'

/** How a receiver answered one attempt. */
export type WebhookResult = 'delivered' | 'refused' | 'disabled' | 'unreachable'

const types: Record<EndedRun['status'], WebhookType> = {
  COMPLETED: 'workflow.run.completed',
  FAILED: 'workflow.run.failed',
  CANCELLED: 'workflow.run.cancelled',
}

const maxBodyBytes = 64 * 1024

/** The event of an ended run. Its text is signed, so it is made once and stored. */
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

/** The query of a callback address often carries secrets: it is sent, but never displayed. */
export const withoutQuery = (url: string): string => url.replace(/[?#].*$/s, '')

/** Shorter values are too common in other texts to hide. */
const shortestSecret = 4

/** What a receiver answered, without the values of the address's query, which it may repeat. */
export function hideQuery(text: string, url: string): string {
  const values = [...(URL.parse(url)?.searchParams.values() ?? [])].flatMap((value) => [
    value,
    encodeURIComponent(value),
  ])
  return values
    .filter((value) => value.length >= shortestSecret)
    .sort((a, b) => b.length - a.length)
    .reduce((hidden, value) => hidden.replaceAll(value, '•••'), text)
}
