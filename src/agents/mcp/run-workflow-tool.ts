import type { CallToolResult } from '@modelcontextprotocol/server'
import { apiPrefix } from '#api/public/context.ts'
import type { Clock } from '#core/clock.ts'
import type { Ask, RouteAnswer } from './route-call.ts'
import { toResult } from './tool-result.ts'

/** Less than a minute, after which most clients abort a call. */
export const patienceMs = 50_000

export type Time = Clock & { wait(ms: number, signal: AbortSignal): Promise<void> }

type WorkflowCall = {
  workflowId: number
  inputs: Record<string, unknown>
  idempotencyKey: string
  /** Reports how many nodes have ended; undefined if the caller did not ask for progress. */
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
 * Starts a run. A caller that asked for progress gets the run once it has ended, or its state
 * after `patienceMs`. Any other caller gets the run ID immediately. Returns null if there is no
 * such workflow.
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

/** Returns the last state that could be read. If reading fails, the run itself continues. */
async function follow(
  ask: Ask,
  time: Time,
  { onProgress, signal }: WorkflowCall,
  submitted: RouteAnswer,
): Promise<RouteAnswer> {
  const deadlineMs = time.nowMs() + patienceMs
  let latest = submitted
  let reported = -1
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
    // The protocol requires each progress value to be larger than the one before.
    if (done > reported) await onProgress?.(done, total, status)
    reported = Math.max(done, reported)
  }
}

const runOf = ({ body }: RouteAnswer) => (JSON.parse(body) as { data: Run }).data

/** For a model, a run that ended without outputs is a failed tool call. */
function toRunResult(answer: RouteAnswer): CallToolResult {
  const { status } = runOf(answer)
  return { ...toResult(answer), isError: status === 'FAILED' || status === 'CANCELLED' }
}
