import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createPauses } from '../../support/pauses.ts'
import type { Body, Call } from '../../support/server.ts'
import { type Answer, P } from '../../support/server.ts'

export type Caller = { call(call: Call | string): Promise<Answer> }

export type GraphNode = {
  id: string
  type: string
  data?: Record<string, unknown>
  mode?: string
}

/** Wires are written `a.port -> b.port`; without a port, the first one is used. */
export function graph(nodes: GraphNode[], wires: readonly string[] = []) {
  return {
    nodes: nodes.map((node) => ({ data: {}, ...node })),
    connections: wires.map((wire) => {
      const [from = '', to = ''] = wire.split(' -> ')
      const [source, sourceHandle] = from.split('.')
      const [target, targetHandle] = to.split('.')
      return {
        source,
        target,
        ...(sourceHandle ? { sourceHandle } : {}),
        ...(targetHandle ? { targetHandle } : {}),
      }
    }),
  }
}

export async function addWorkflow(on: Caller, data: object, name = 'w'): Promise<number> {
  const answer = await on.call({ method: 'POST', path: `${P}/workflows`, json: { name, data } })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data.id
}

export const submit = (
  on: Caller,
  workflowId: number,
  json: unknown = {},
  { key = randomUUID() as string, ...call }: Partial<Call> & { key?: string } = {},
): Promise<Answer> =>
  on.call({
    method: 'POST',
    path: `${P}/workflows/${workflowId}/runs`,
    headers: { 'idempotency-key': key },
    json,
    ...call,
  })

/** A run that must be accepted. */
export async function started(on: Caller, workflowId: number, json: unknown = {}): Promise<string> {
  const answer = await submit(on, workflowId, json)
  assert.equal(answer.status, 202, answer.text)
  return answer.body.data.runId
}

export async function readRun(on: Caller, runId: string): Promise<Body> {
  const answer = await on.call(`${P}/workflow-runs/${runId}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

/** Polls the run until it satisfies; a failure shows the last state. */
export async function until(
  on: Caller,
  runId: string,
  satisfies: (run: Body) => boolean,
  // Far longer than anything here takes, even on a busy machine.
  limitMs = 120_000,
): Promise<Body> {
  const deadline = Date.now() + limitMs
  const pause = createPauses()
  for (;;) {
    const run = await readRun(on, runId)
    if (satisfies(run)) return run
    if (Date.now() > deadline) assert.fail(`it did not happen; last seen ${JSON.stringify(run)}`)
    await pause()
  }
}

export const ended = (on: Caller, runId: string): Promise<Body> =>
  until(on, runId, (run) => run.completedAt !== null)

/** Runs a graph to its end. */
export async function run(on: Caller, data: object, inputs: object = {}): Promise<Body> {
  return ended(on, await started(on, await addWorkflow(on, data), { inputs }))
}
