// The event that tells a receiver that a run waits for somebody. The address by which it is answered
// is not part of what is stored: it is added when the event is sent, so that neither the database
// nor a backup holds one.
import { toRfc3339 } from './clock.ts'
import type { WaitKind } from './wait-facts.ts'

export const waitingType = 'workflow.run.waiting'

export type WaitingRun = {
  runId: string
  workflowId: number
  waitId: string
  nodeId: string
  path: string
  kind: WaitKind
  title: string
  description: string | null
  sinceMs: number
  expiresAtMs: number
  /** Somebody without an account may answer. */
  hasAddress: boolean
  metadata: Readonly<Record<string, unknown>>
  runUrl: string
}

export function waitingEvent({ sinceMs, expiresAtMs, ...wait }: WaitingRun): string {
  const since = toRfc3339(sinceMs)
  const { runId, workflowId, metadata, runUrl, ...asked } = wait
  const times = { since, expiresAt: toRfc3339(expiresAtMs) }
  const data = { runId, workflowId, status: 'RUNNING', ...asked, ...times, metadata, runUrl }
  return JSON.stringify({ type: waitingType, timestamp: since, data })
}

type Stored = { data: { waitId: string; kind: WaitKind; hasAddress?: boolean; url?: string } }

/** What is signed and sent. Other events stay as they are stored, byte by byte. */
export function withAddress(
  payload: string,
  urlOf: (use: 'link' | 'callback', waitId: string) => string,
): string {
  if (!payload.startsWith(`{"type":"${waitingType}"`)) return payload
  const { data, ...event } = JSON.parse(payload) as Stored
  const { hasAddress, ...shown } = data
  const use = data.kind === 'CALLBACK' ? 'callback' : 'link'
  const url = hasAddress ? { url: urlOf(use, data.waitId) } : {}
  return JSON.stringify({ ...event, data: { ...shown, ...url } })
}
