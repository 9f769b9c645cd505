import type { CallToolResult } from '@modelcontextprotocol/server'
import { apiPrefix } from '#api/public/context.ts'
import type { Ask, RouteAnswer } from './route-call.ts'
import { toResult } from './tool-result.ts'

/** What goes on after the call that started it: a run, or the generation of an image or video. */
export type Work = { kind: 'run' | 'task'; id: string }

/** The members that runs and tasks share, of an accepted one as of one that was read. */
export type WorkState = {
  status: string
  createdAt: string
  startedAt?: string | null
  completedAt?: string | null
  retryAfterSeconds: number
  /** Counts nodes. Absent for tasks, and for a run that was only just accepted. */
  progress?: { total: number; completed: number; skipped: number; failed: number }
}

/** The work that an answer describes. */
export function workOf(kind: Work['kind'], { body }: RouteAnswer): Work {
  const { data } = JSON.parse(body) as { data: { runId: string; taskId: string } }
  return { kind, id: kind === 'run' ? data.runId : data.taskId }
}

export const stateOf = ({ body }: RouteAnswer): WorkState =>
  (JSON.parse(body) as { data: WorkState }).data

export const pathOf = ({ kind, id }: Work) =>
  `${apiPrefix}/${kind === 'run' ? 'workflow-runs' : 'tasks'}/${id}`

export const readWork = (ask: Ask, work: Work, signal: AbortSignal): Promise<RouteAnswer> =>
  ask({ method: 'GET', path: pathOf(work), headers: {} }, signal)

/** For a model, work that ended without a result is a failed tool call. */
export function toWorkResult(answer: RouteAnswer): CallToolResult {
  const { status } = stateOf(answer)
  return { ...toResult(answer), isError: status === 'FAILED' || status === 'CANCELLED' }
}
