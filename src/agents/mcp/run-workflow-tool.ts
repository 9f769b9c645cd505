import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Clock } from '#core/clock.ts'
import { apiPrefix } from '#operations/context.ts'
import type { Ask, RouteAnswer } from './route-call.ts'
import { toResult } from './tool-result.ts'

/** Below the minute after which most clients give up on a call. */
export const patienceMs = 50_000

export type Time = Clock & { wait(ms: number, signal: AbortSignal): Promise<void> }

type WorkflowCall = {
  workflowId: number
  inputs: Record<string, unknown>
  idempotencyKey: string
  /** Told how many of its nodes are done; absent where the caller did not ask to be told. */
  onProgress: ((done: number, total: number, status: string) => Promise<void>) | undefined
  signal: AbortSignal
}

type Run = {
  runId: string
  status: string
  completedAt: string | null
  retryAfterSeconds: number
  progress: { total: number; completed: number; skipped: number; failed: number }
}

/**
 * Starts a run. A caller that asked for progress gets the run as it stands when it has ended or
 * patience has; any other gets the handle at once. Null where there is no such workflow.
 */
export async function runWorkflowTool(
  ask: Ask,
  time: Time,
  call: WorkflowCall,
): Promise<CallToolResult | null> {
  const submitted = await ask(
    {
      method: 'POST',
      path: `${apiPrefix}/workflows/${call.workflowId}/runs`,
      headers: { 'content-type': 'application/json', 'idempotency-key': call.idempotencyKey },
      body: JSON.stringify({ inputs: call.inputs }),
    },
    call.signal,
  )
  if (submitted.status === 404) return null
  if (submitted.status >= 400 || !call.onProgress) return toResult(submitted)
  return toRunResult(await follow(ask, time, call, submitted))
}

/** The last that could be read: a run goes on whether or not somebody looks. */
async function follow(
  ask: Ask,
  time: Time,
  { onProgress, signal }: WorkflowCall,
  submitted: RouteAnswer,
): Promise<RouteAnswer> {
  const deadlineMs = time.nowMs() + patienceMs
  let latest = submitted
  let shown = -1
  for (;;) {
    const { runId, retryAfterSeconds } = runOf(latest)
    const pauseMs = Math.max(retryAfterSeconds, 1) * 1000
    if (time.nowMs() + pauseMs > deadlineMs) return latest
    await time.wait(pauseMs, signal)
    const path = `${apiPrefix}/workflow-runs/${runId}`
    const read = await ask({ method: 'GET', path, headers: {} }, signal)
    if (read.status >= 400) return latest
    latest = read
    const { completedAt, status, progress } = runOf(latest)
    if (completedAt) return latest
    const { total, completed, skipped, failed } = progress
    const done = completed + skipped + failed
    // The protocol wants every number larger than the one before.
    if (done > shown) await onProgress?.(done, total, status)
    shown = Math.max(done, shown)
  }
}

const runOf = ({ body }: RouteAnswer) => (JSON.parse(body) as { data: Run }).data

/** To a model, a run that ended without outputs is a tool that failed. */
function toRunResult(answer: RouteAnswer): CallToolResult {
  const { status } = runOf(answer)
  return { ...toResult(answer), isError: status === 'FAILED' || status === 'CANCELLED' }
}
