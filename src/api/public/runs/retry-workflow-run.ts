import { Failure, invalid } from '#core/errors.ts'
import { inlineValue } from '#core/payload-text.ts'
import type { PinnedVersion } from '#core/run-facts.ts'
import type { RunSubmission } from '#core/run-submission.ts'
import { type Static, Type } from '#core/schema.ts'
import { findRun, findWorkflowHead, type RunRow } from '#store/tables/runs.ts'
import { findGraph, type GraphData } from '#store/tables/workflows.ts'
import {
  Closed,
  locationHeader,
  NamedRecord,
  OneOf,
  replayedHeader,
  retryAfterHeader,
  tagHeader,
  Uuid,
} from '../../schemas.ts'
import { type Context, defineOperation } from '../context.ts'
import { findReplay, submitRun, submitted } from './accept-run.ts'
import { acceptGraph, checkRunnable, mayCost, mayWait } from './accepted-graph.ts'
import { keptOptions } from './economy.ts'
import { fingerprintOf, keyHeader, readKey } from './idempotency.ts'
import { reusedSteps } from './reused-steps.ts'
import { Submitted } from './run-record.ts'
import { asRunOf, sentTag } from './run-tag.ts'
import { sameNodes, withCallers } from './same-nodes.ts'
import { progressOf } from './show-run.ts'

const Body = NamedRecord('RetryRequest', {
  version: Type.Optional(
    OneOf(
      ['same', 'newest'],
      'same (default): the graph the run had. newest: the graph the workflow has now; nodes that are unchanged, with all that feeds them, are reused.',
    ),
  ),
})

const headers = { ...locationHeader, ...retryAfterHeader }

export const retryWorkflowRun = defineOperation({
  id: 'retryWorkflowRun',
  route: 'POST /workflow-runs/{runId}/retry',
  summary: 'Retry a failed or cancelled run, reusing its finished steps',
  description:
    'Starts a new run with the inputs, callbackUrl, metadata, maxCost, targets and pins of the old one. Calls whose results are known are not repeated: of a list, only the items that failed are done again, and then what was made from them.',
  scope: 'runs:write',
  rate: 'run',
  params: Closed({
    runId: Uuid('Identifier of a FAILED or CANCELLED run, or of one with failed items.'),
  }),
  requestHeaders: { ...keyHeader, ...tagHeader },
  checkHeaders: (headerValues) => void readKey(headerValues),
  bodyOptional: true,
  body: Body,
  success: {
    202: { description: 'Queued', data: Submitted, headers },
    200: {
      description: 'The run this key started before',
      data: Submitted,
      headers: { ...headers, ...replayedHeader },
    },
  },
  errors: [
    'IDEMPOTENCY_KEY_REQUIRED',
    'IDEMPOTENCY_KEY_INVALID',
    'IDEMPOTENCY_KEY_REUSED',
    'IDEMPOTENCY_IN_PROGRESS',
    'RUN_NOT_FOUND',
    'WORKFLOW_NOT_FOUND',
    'INPUT_INVALID',
    'WORKFLOW_INVALID',
    'UNSUPPORTED_NODES',
    'SPEND_LIMIT_REACHED',
    'QUOTA_EXCEEDED',
  ],
  repeatable: true,
  ifUnknown: 'Send it again with the same Idempotency-Key: that finds the run, or starts it once.',
  async handle(context, { params: { runId }, body }) {
    const { services, principal } = context
    const key = readKey(context.headerValues)
    const old = await findRun(services.db, principal.accountId, runId)
    if (!old) throw new Failure('RUN_NOT_FOUND')
    const { version = 'same' } = body
    const tag = sentTag(principal, undefined)
    const sent = tag === undefined ? {} : { tag }
    const fingerprint = fingerprintOf({ retryOf: runId, version, ...sent })
    const replay = await findReplay(context, old.workflow_id, key, fingerprint)
    if (replay) return submitted(context, replay)
    if (!mayBeRetried(old)) {
      const message = `only a FAILED or CANCELLED run can be retried, and this one is ${old.status}`
      throw invalid('INPUT_INVALID', [{ path: '', rule: 'status', message }], `${message}.`)
    }
    const { costs, waits, ...order } = await orderFor(context, old, version)
    const asRun = asRunOf(context, old.workflow_id, tag ?? old.spender.tag)
    const isReusing = old.options?.reuse === 'exact'
    if (costs && !isReusing) await services.runs.assertMaySpend(asRun.principal)
    if (waits) await services.runs.assertMayWait(principal.accountId)
    return submitted(context, await submitRun(asRun, { ...order, key, fingerprint }))
  },
})

/** A run that has completed may have left out items that failed: a retry does those again. */
const mayBeRetried = (run: RunRow): boolean =>
  run.status === 'FAILED' ||
  run.status === 'CANCELLED' ||
  (run.status === 'COMPLETED' && progressOf(run).some(({ failedItems }) => failedItems > 0))

async function orderFor(
  context: Context,
  old: RunRow,
  version: NonNullable<Static<typeof Body>['version']>,
): Promise<Omit<RunSubmission, 'principal' | 'key' | 'fingerprint'> & PinnedNature> {
  const { workflow_id, data_version, called } = old
  const { payloads } = context.services.runs
  const json = await payloads.get(old.account_id, old.inputs)
  // Stored again, because the payload must live as long as the new run.
  const inputs = await payloads.put(old.account_id, json)
  const kept = {
    inputs,
    metadata: old.metadata,
    callbackUrl: old.callback_url,
    callbackEvents: old.callback_events,
    maxCostMicros: old.max_cost_micros,
    options: keptOptions(old.options, context.services.clock.nowMs()),
    retryOf: old.id,
  }
  if (version === 'same') {
    const { workflow_name: name, workflow_version, node_count: nodeCount } = old
    const pinned = { id: workflow_id, name, version: workflow_version, dataVersion: data_version }
    const steps = await reusedSteps(context, old, () => true)
    const nature = await natureOfPinned(context, old)
    const { routes } = old.spender
    return { workflow: pinned, called, routes, nodeCount, ...kept, steps, ...nature }
  }
  const { services, principal } = context
  const head = await findWorkflowHead(services.db, principal.accountId, workflow_id)
  if (!head) throw new Failure('WORKFLOW_NOT_FOUND')
  const graph = await acceptGraph(context, head, old.options ?? {})
  const given = inlineValue(json) as Record<string, unknown>
  await checkRunnable(context, graph, given, old.options?.pins)
  const same = await unchangedNodes(context, old, head.data_version, graph.called ?? [])
  return {
    workflow: {
      id: workflow_id,
      name: head.name,
      version: head.version,
      dataVersion: head.data_version,
    },
    called: graph.called,
    routes: graph.routes,
    nodeCount: graph.plan.nodes.length,
    ...{ costs: graph.mayCost, waits: graph.mayWait },
    ...kept,
    steps: await reusedSteps(context, old, (nodeId) => same.has(nodeId)),
  }
}

/** The nodes of a newer graph whose results in the old run are still valid. */
export async function unchangedNodes(
  context: Context,
  { workflow_id, data_version, called }: RunRow,
  newestVersion: number,
  newestCalled: readonly PinnedVersion[],
): Promise<Set<string>> {
  const [before, now] = await Promise.all(
    [data_version, newestVersion].map((one) => findGraph(context.services.db, workflow_id, one)),
  )
  const changed = await changedWorkflows(context, called ?? [], newestCalled)
  return before && now ? sameNodes(before.value, now.value, changed) : new Set()
}

/** Called workflows that have another version now, and those that call them. */
async function changedWorkflows(
  { services }: Context,
  before: readonly PinnedVersion[],
  now: readonly PinnedVersion[],
): Promise<Set<number>> {
  const versions = new Map(before)
  const changed = now.filter(([id, version]) => versions.get(id) !== version).map(([id]) => id)
  if (changed.length === 0) return new Set()
  const graphs = new Map<number, GraphData>()
  for (const [id, version] of now) {
    const graph = await findGraph(services.db, id, version)
    if (graph) graphs.set(id, graph.value)
  }
  return withCallers(changed, graphs)
}

/** Whether a run of pinned graphs may cost something, and whether it may wait. */
type PinnedNature = { costs: boolean; waits: boolean }

async function natureOfPinned(context: Context, run: RunRow): Promise<PinnedNature> {
  const pins = [[run.workflow_id, run.data_version] as const, ...(run.called ?? [])]
  const graphs = await Promise.all(
    pins.map(([id, version]) => findGraph(context.services.db, id, version)),
  )
  const nodes = graphs.flatMap((graph) => graph?.value.nodes ?? [])
  return { costs: mayCost(context, nodes), waits: mayWait(nodes) }
}
