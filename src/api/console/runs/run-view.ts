import { Failure } from '#core/errors.ts'
import { newNode } from '#core/run-nodes.ts'
import { Type } from '#core/schema.ts'
import { findRun, type RunRow } from '#store/tables/runs.ts'
import type { StepHead } from '#store/tables/steps.ts'
import { findGraph } from '#store/tables/workflows.ts'
import { etagOfText, ifKnown } from '../../etag.ts'
import { Named } from '../../named.ts'
import { answer } from '../../operation.ts'
import type { Context } from '../../public/context.ts'
import { Call, callRecord } from '../../public/runs/get-workflow-run-node.ts'
import { withoutPinned } from '../../public/runs/pinned-results.ts'
import { estimateOfRun, examineAccepted } from '../../public/runs/run-estimate.ts'
import { Run, RunNode } from '../../public/runs/run-record.ts'
import {
  outputsOf,
  type RunState,
  stateOf,
  summaryWith,
  waitsIn,
} from '../../public/runs/run-state.ts'
import { nodeHeads, nodeRecord, progressOf } from '../../public/runs/show-run.ts'
import { GraphEstimate } from '../../public/workflows/estimate-graph.ts'
import { Closed, NamedRecord, Nullable, retryAfterHeader, Uuid } from '../../schemas.ts'
import { asApiCaller, defineConsole } from '../context.ts'
import { PortsByNode } from '../workflows/graph-ports.ts'
import { ListedRun, listedFacts } from './listed-run.ts'
import { Loops, loopsIn } from './loops.ts'
import { changedNodes, readRevision, writeRevision } from './run-revision.ts'
import { ShownWaits, shownWaits } from './run-waits.ts'

const Graph = Type.Object({}, { description: 'Nodes and connections as they ran.' })

const RunView = NamedRecord('RunView', {
  rev: Type.String({
    description: 'The revision of this answer. Send it as `since` to receive only the changes.',
  }),
  run: ListedRun,
  nodes: Type.Array(RunNode, { description: 'With `since`: those that changed.' }),
  calls: Type.Array(Named('RunCall', Call), {
    description:
      'The newest 2,000 calls of the nodes, including those in items and called workflows: see `path`. With `since`: those that may have changed.',
  }),
  outputs: Type.Optional(Run.properties.outputs),
  waits: ShownWaits,
  loops: Loops,
  graph: Type.Optional(Graph),
  ports: Type.Optional(PortsByNode),
  called: Type.Optional(
    Type.Array(
      Closed({
        workflowId: Type.Integer({ minimum: 1 }),
        version: Type.Integer({ minimum: 1 }),
        graph: Graph,
      }),
      {
        description:
          'Workflows it calls, directly or indirectly, in the versions it was accepted with.',
      },
    ),
  ),
  inputs: Type.Optional(
    Type.Object({}, { description: 'As given, with fresh addresses of media.' }),
  ),
  estimate: Type.Optional(Nullable(GraphEstimate)),
})

/** More than a waterfall chart can show; the calls of one node are read with the node. */
const maxCalls = 2_000

export const getRunView = defineConsole({
  id: 'getRunView',
  route: 'GET /runs/{runId}/view',
  summary: 'Reads a run with its graph, inputs and estimate',
  description:
    'With `since`, the answer holds only the state of the run and the nodes and calls that changed; outputs come with the answer in which the run ends. If `since` cannot be used, the answer is complete.',
  access: 'viewer',
  params: Type.Object({ runId: Uuid('Identifier of the run.') }),
  query: Type.Object({
    since: Type.Optional(
      Type.String({ maxLength: 4_000, description: '`rev` of the previous answer.' }),
    ),
  }),
  success: { 200: { description: 'The run.', data: RunView, headers: retryAfterHeader } },
  errors: ['RUN_NOT_FOUND', 'RECORD_NOT_FOUND'],
  async handle(developer, { params: { runId }, query }) {
    const context = asApiCaller(developer)
    const { services, principal } = context
    const row = await findRun(services.db, principal.accountId, runId)
    if (!row) throw new Failure('RUN_NOT_FOUND')
    const state = await stateOf(context, row)
    const isSettled = row.completed_at !== null && !state.inFlight
    const early = isSettled ? ifKnown(context, tagOf(state, [])) : null
    if (early) return early
    const steps = await services.runs.stepHeadsOf(row.id)
    const waits = await waitsIn(context, row)
    const etag = tagOf(state, isSettled ? [] : steps)
    const unchanged = ifKnown(context, etag)
    if (unchanged) return unchanged
    const heads = await nodeHeads(context, row)
    const progress = progressOf(row)
    const nodes = heads.map((head, i) =>
      nodeRecord(head, progress[i] ?? newNode(), state.taskDelays),
    )
    const summary = summaryWith(row, state)
    const seen = readRevision(query.since, nodes.length)
    const whole = seen ? null : await wholeOf(context, row)
    const facts = await listedFacts(services, row.account_id, [row])
    const hasEnded = row.completed_at !== null && seen?.status !== row.status
    const calls = seen
      ? steps.filter(({ ended_at }) => ended_at === null || ended_at >= seen.callsFromMs)
      : steps
    return answer(
      {
        rev: writeRevision({ status: row.status, nowMs: state.nowMs, nodes }),
        run: { ...summary, ...facts(row.id) },
        nodes: seen ? changedNodes(seen, nodes) : nodes,
        calls: calls.slice(-maxCalls).map(callRecord),
        ...(!seen || hasEnded ? { outputs: await outputsOf(context, row) } : {}),
        ...(await shownWaits(context, waits)),
        ...loopsIn(
          heads.map(({ id }) => id),
          progress,
          steps,
        ),
        ...whole,
      },
      { headers: { 'Retry-After': String(summary.retryAfterSeconds), ETag: etag } },
    )
  },
})

/** Includes the steps, because list items may progress without a change in the run's row. */
const tagOf = ({ etag }: RunState, steps: readonly StepHead[]): string =>
  etagOfText(
    `view ${etag} ${steps.map(({ path, status, attempts }) => `${path} ${status} ${attempts}`).join()}`,
  )

/** The parts of the answer that never change while a run is watched. */
async function wholeOf(context: Context, row: RunRow) {
  const { db, runs } = context.services
  const held = await runs.payloads.read(row.account_id, row.inputs)
  const given = held as Record<string, unknown>
  const graph = await pinned(context, row.workflow_id, row.data_version)
  return {
    graph,
    ports: Object.fromEntries((await examineAccepted(context, row, graph)).ports),
    called: await Promise.all(
      (row.called ?? []).map(async ([workflowId, version]) => ({
        workflowId,
        version,
        graph: (await findGraph(db, workflowId, version))?.value ?? {},
      })),
    ),
    inputs: await withFreshAddresses(
      context,
      row.account_id,
      withoutPinned(given, row.options?.pins),
    ),
    estimate: await estimateOfRun(context, row, given),
  }
}

const pinned = async ({ services }: Context, workflowId: number, version: number) =>
  (await findGraph(services.db, workflowId, version))?.value ?? { nodes: [], connections: [] }

/** An input may be the address of this account's media, which may have expired since. */
async function withFreshAddresses(
  { services: { runs } }: Context,
  accountId: string,
  inputs: Record<string, unknown>,
) {
  const entries = Object.entries(inputs).map(async ([name, value]) => {
    if (typeof value !== 'string') return [name, await runs.refreshMedia(accountId, value)] as const
    const media = await runs.refreshMedia(accountId, { url: value, mimeType: '' })
    return [name, (media as { url: string }).url] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}
