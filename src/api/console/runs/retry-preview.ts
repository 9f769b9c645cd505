// What a retry would reuse, what it would do again, and what that would cost. It changes nothing.
import { Failure } from '#core/errors.ts'
import { money, toAmount, toMicros } from '#core/money.ts'
import { type Static, Type } from '#core/schema.ts'
import { withPart } from '#graph/plan/part.ts'
import { findRun, findWorkflowHead, type RunRow } from '#store/tables/runs.ts'
import { findGraph, type GraphData } from '#store/tables/workflows.ts'
import { answer } from '../../operation.ts'
import type { Context } from '../../public/context.ts'
import { acceptGraph, checkRunnable } from '../../public/runs/accepted-graph.ts'
import { rootOf } from '../../public/runs/get-workflow-run-node.ts'
import { unchangedNodes } from '../../public/runs/retry-workflow-run.ts'
import { nodesBehind, reusableSteps } from '../../public/runs/reused-steps.ts'
import { estimateOfRun, type RunEstimate } from '../../public/runs/run-estimate.ts'
import { nodeHeads, progressOf } from '../../public/runs/show-run.ts'
import { estimateGraph } from '../../public/workflows/estimate-graph.ts'
import { examineGraph } from '../../public/workflows/examine-graph.ts'
import { Amount, Closed, Money, NamedRecord, Nullable, OneOf, Uuid } from '../../schemas.ts'
import { asApiCaller, defineConsole } from '../context.ts'

const NodeIds = (description: string) => Type.Array(Type.String(), { description })

const RetryPreview = NamedRecord('RetryPreview', {
  workflowVersion: Type.Integer({ minimum: 1 }),
  reused: NodeIds('Nodes whose results are taken over.'),
  reusedCalls: Type.Integer({ minimum: 0, description: 'Calls that are not repeated.' }),
  savedCost: Money,
  willRun: NodeIds('Nodes that run, or run again.'),
  estimate: Nullable(
    Closed({ estimatedCost: Amount, lowCost: Amount, highCost: Amount, currency: Type.String() }),
  ),
  problem: Nullable(Type.String({ description: 'Why this version cannot be run.' })),
})
type RetryPreview = Static<typeof RetryPreview>

export const previewRetry = defineConsole({
  id: 'previewRetry',
  route: 'GET /runs/{runId}/retry-preview',
  summary: 'Shows what a retry of a run would reuse and do, and what it would cost',
  access: 'viewer',
  params: Type.Object({ runId: Uuid('Identifier of the run.') }),
  query: Type.Object({
    version: Type.Optional(
      OneOf(['same', 'newest'], 'As for retryWorkflowRun: the graph that ran, or that of now.'),
    ),
  }),
  success: { 200: { description: 'The retry, not made.', data: RetryPreview } },
  errors: ['RUN_NOT_FOUND', 'WORKFLOW_NOT_FOUND', 'RECORD_NOT_FOUND'],
  async handle(developer, { params: { runId }, query: { version = 'same' } }) {
    const context = asApiCaller(developer)
    const { services, principal } = context
    const old = await findRun(services.db, principal.accountId, runId)
    if (!old) throw new Failure('RUN_NOT_FOUND')
    const inputs = await services.runs.payloads.read(old.account_id, old.inputs)
    const given = inputs as Record<string, unknown>
    const target =
      version === 'same' ? await asItRan(context, old, given) : await asItIs(context, old, given)
    return answer(await previewOf(context, old, target))
  },
})

type Target = {
  version: number
  graph: GraphData
  isUnchanged(nodeId: string): boolean
  estimate: RunEstimate | null
  problem: string | null
}

async function asItRan(
  context: Context,
  old: RunRow,
  inputs: Record<string, unknown>,
): Promise<Target> {
  const graph = await findGraph(context.services.db, old.workflow_id, old.data_version)
  return {
    version: old.workflow_version,
    graph: graph?.value ?? { nodes: [], connections: [] },
    isUnchanged: () => true,
    estimate: await estimateOfRun(context, old, inputs),
    problem: null,
  }
}

async function asItIs(
  context: Context,
  old: RunRow,
  inputs: Record<string, unknown>,
): Promise<Target> {
  const { db } = context.services
  const head = await findWorkflowHead(db, old.account_id, old.workflow_id)
  const graph = head && (await findGraph(db, old.workflow_id, head.data_version))
  if (!head || !graph) throw new Failure('WORKFLOW_NOT_FOUND')
  const { version } = head
  const { value } = graph
  try {
    const part = old.options ?? {}
    const accepted = await acceptGraph(context, head, part)
    await checkRunnable(context, accepted, inputs, part.pins)
    const called = accepted.called ?? []
    const same = await unchangedNodes(context, old, head.data_version, called)
    const { plan, calls } = await examineGraph(context, graph.value, old.workflow_id)
    const targeted = plan && withPart(plan, part)
    const { workflow_id: workflowId } = old
    const estimate = targeted
      ? await estimateGraph(context, { plan: targeted, calls, workflowId }, inputs)
      : null
    return { version, graph: value, isUnchanged: (id) => same.has(id), estimate, problem: null }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const problem = error.message
    return { version, graph: value, isUnchanged: () => false, estimate: null, problem }
  }
}

async function previewOf(
  context: Context,
  old: RunRow,
  { version, graph, isUnchanged, estimate, problem }: Target,
): Promise<RetryPreview> {
  const steps = await reusableSteps(context, old, isUnchanged)
  const heads = await nodeHeads(context, old)
  const progress = progressOf(old)
  const statuses = new Map(heads.map(({ id }, index) => [id, progress[index]?.status]))
  const failing = heads.filter((_, index) => (progress[index]?.failedItems ?? 0) > 0)
  // A list with failed items, and what was made from it.
  const again = nodesBehind(new Set(failing.map(({ id }) => id)), graph.connections)
  const isOver = (id: string, status: string) =>
    isUnchanged(id) && statuses.get(id) === status && !again.has(id)
  const ids = graph.nodes.map(({ id }) => id)
  const reused = ids.filter((id) => isOver(id, 'COMPLETED'))
  const willRun = ids.filter((id) => !isOver(id, 'COMPLETED') && !isOver(id, 'SKIPPED'))
  const reusedCalls = Map.groupBy(steps, ({ path }) => rootOf(path))
  return {
    workflowVersion: version,
    reused,
    reusedCalls: steps.length,
    savedCost: money(steps.reduce((sum, { cost_micros }) => sum + (cost_micros ?? 0), 0)),
    willRun,
    estimate:
      estimate &&
      restOf(estimate, new Set(willRun), {
        callsOf: (id) => reusedCalls.get(id)?.length ?? 0,
        isBehind: (id) => again.has(id) && !failing.some((list) => list.id === id),
      }),
    problem,
  }
}

/**
 * The part of an estimate that is left: of the nodes that run, without the calls they reuse. Behind a
 * list whose failed items are done again, everything may be asked as before, and cost nothing.
 */
function restOf(
  { nodeEstimates, currency }: RunEstimate,
  willRun: ReadonlySet<string>,
  reused: { callsOf(nodeId: string): number; isBehind(nodeId: string): boolean },
): NonNullable<RetryPreview['estimate']> {
  const sum = (cost: 'estimatedCost' | 'lowCost' | 'highCost'): number =>
    toAmount(
      nodeEstimates
        .filter(({ nodeId }) => willRun.has(nodeId))
        .reduce((total, { nodeId, calls, [cost]: amount }) => {
          if (cost === 'lowCost' && reused.isBehind(nodeId)) return total
          const left = calls > 0 ? Math.max(0, 1 - reused.callsOf(nodeId) / calls) : 1
          return total + Math.round(toMicros(amount ?? 0) * left)
        }, 0),
    )
  return {
    estimatedCost: sum('estimatedCost'),
    lowCost: sum('lowCost'),
    highCost: sum('highCost'),
    currency,
  }
}
