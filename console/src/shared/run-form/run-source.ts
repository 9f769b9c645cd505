import { publicCall } from '#console/api/public-api.ts'
import type { GraphEstimate, RunInput, SubmittedRun } from '#console/api/types.ts'
import { useNodeNames } from './use-node-names.ts'

export type Values = Readonly<Record<string, unknown>>

/** What an estimate depends on besides the graph. */
export type AskedRun = Pick<RunInput, 'lane' | 'deadlineAt'> & { readonly inputs: Values }

/** What a form runs: a stored workflow, or the graph on the canvas. */
export type RunSource = {
  /** Changes with everything that an estimate depends on, besides the inputs. */
  readonly name: string
  /** Null if there is none, because an input is invalid. */
  estimate(asked: AskedRun, signal: AbortSignal): Promise<GraphEstimate | null>
  /** Null if it was not started, and the reason is shown elsewhere. */
  start(body: RunInput, idempotencyKey: string): Promise<{ runId: string } | null>
  /** A hook: the names that people gave the nodes. */
  useNames(options: { enabled: boolean }): (nodeId: string) => string
}

export const startRun = (workflowId: number, body: RunInput, idempotencyKey: string) =>
  publicCall<SubmittedRun>(`/workflows/${workflowId}/runs`, {
    method: 'POST',
    headers: { 'idempotency-key': idempotencyKey },
    body,
  })

export const storedWorkflow = (workflowId: number): RunSource => ({
  name: `workflow ${workflowId}`,
  estimate: (asked, signal) =>
    publicCall<GraphEstimate>(`/workflows/${workflowId}/estimate`, {
      method: 'POST',
      body: asked,
      signal,
    }),
  start: (body, idempotencyKey) => startRun(workflowId, body, idempotencyKey),
  useNames: (options) => useNodeNames(workflowId, options),
})
