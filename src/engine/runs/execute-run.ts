// Executes one claimed run to its end. The end is one transaction: status, outputs, nodes, cost and
// the delivery of its webhook. A run that this worker has lost or releases is left in the store as
// it is.
import { maxDepth } from '#core/depth.ts'
import { RunCancelled } from '#core/interruptions.ts'
import type { NodeError, RunNodeError } from '#core/run-facts.ts'
import { unpackNodes } from '#core/run-nodes.ts'
import type { EndStatus } from '#core/run-states.ts'
import { assertBounded } from '#graph/node/values.ts'
import type { PlanNode } from '#graph/plan/plan.ts'
import type { FinishedRun } from '#store/engine-store.ts'
import { createNodeSlots, executePlan, type PlanEnd, type PlanObserver } from './execute-plan.ts'
import { finish } from './finish-run.ts'
import { hasCallsLeft } from './late-calls.ts'
import { nodeCalls } from './node-calls.ts'
import { toNodeError, unforeseen } from './node-error.ts'
import { beforeOf, leaveWait, progressOf, siteOf } from './node-progress.ts'
import { isInterruption } from './recorded-call.ts'
import { noteUnusable, spoilUnusable } from './reuse.ts'
import type { RunDeps, RunWork } from './run-deps.ts'
import { RunTimeUp, WindingDown } from './run-halt.ts'
import { memoryOfAll, untilRoomAndTurn } from './run-memory.ts'
import { isTolerated } from './tolerated-steps.ts'

type Failures = { errors: RunNodeError[]; isStored: boolean; isStoring: Promise<unknown> | null }

/** Resolves with the ended run; rejects if it continues elsewhere. */
export async function executeRun(
  deps: RunDeps & { cancelTasks(runId: string): Promise<void> },
  work: RunWork,
): Promise<FinishedRun> {
  if (work.row.node_errors !== null) return endFailedBefore(deps, work, work.row.node_errors)
  const failures: Failures = { errors: [], isStored: false, isStoring: null }
  // Nodes that wait for a batch must not keep others out of it.
  const slots = createNodeSlots(work.row.options?.deadlineMs ? Number.POSITIVE_INFINITY : undefined)
  const scope = { deps, work, slots, halt: work.halt, calls: work.calls }
  const plan = executePlan(work.compiled, work.inputs, {
    slots,
    held: work.held,
    observer: observe(deps, work, failures),
    execution: (root) => nodeCalls(scope, root.id, siteOf(work, root)),
    activity: work.activity,
    values: work.values,
  })
  // Calls in flight when the run is stopped are not awaited, and store nothing any more.
  const end = await work.halt.race(plan.then((over) => afterItsCalls(deps, work, over)))
  const isDecisive = ({ error }: { error: unknown }) =>
    isInterruption(error) && !(error instanceof WindingDown)
  const stopped = work.halt.reason ?? end?.failures.find(isDecisive)?.error
  if (failures.isStoring) await failures.isStoring
  if (stopped instanceof RunCancelled || stopped instanceof RunTimeUp) {
    return endStopped(deps, work, failures, stopped)
  }
  if (stopped || !end) throw stopped
  if (end.failures.length > 0) return endFailed(deps, work, failures, end.outputs)
  return endCompleted(deps, work, end.outputs)
}

/**
 * Calls of a failed node, such as other items of its list, may be in flight. They are paid for, so
 * the run ends after them, with their results stored and their cost counted.
 */
async function afterItsCalls(deps: RunDeps, work: RunWork, end: PlanEnd): Promise<PlanEnd> {
  if (end.failures.length === 0 || work.calls.count === 0) return end
  if (work.nodes.some(({ taskId }) => taskId !== null)) {
    // If this is lost, they are given up when their turn comes.
    await deps.tasks
      .cancelUnsent(work.row.id, deps.clock.nowMs())
      .catch((error) => deps.onError(error, work.row.id))
  }
  await work.calls.ended()
  return end
}

function observe(deps: RunDeps, work: RunWork, failures: Failures): PlanObserver {
  const { clock } = deps
  let running = 0
  const settle = (node: PlanNode, status: 'COMPLETED' | 'FAILED') => {
    running--
    if (work.halt.reason) return
    work.isChanged = true
    const progress = progressOf(work, node)
    progress.status = status
    // Computed again after a sleep, it ended when it first did.
    const before = beforeOf(work, node)
    const endedMs = before?.status === status ? before.completedAtMs : null
    progress.completedAtMs = endedMs ?? clock.nowMs()
    // A loop whose value was kept has not counted its items again.
    if (before?.items != null && progress.items === null) {
      progress.items = before.items
      progress.failedItems = before.failedItems
    }
  }
  return {
    mayStart: () => work.halt.throwIfStopped(),
    started(node) {
      running++
      work.isChanged = true
      const progress = progressOf(work, node)
      progress.status = 'RUNNING'
      progress.attempts = 1
      // What it waited for counts, so that it began before the run fell asleep.
      progress.startedAtMs = beforeOf(work, node)?.startedAtMs ?? clock.nowMs()
    },
    completed: (node) => settle(node, 'COMPLETED'),
    skipped(node) {
      work.isChanged = true
      progressOf(work, node).status = 'SKIPPED'
    },
    failed(node, error) {
      work.halt.windDown()
      if (work.halt.reason || isInterruption(error)) {
        running--
        leaveWait(work, node, clock.nowMs())
        return
      }
      noteUnusable(work, node.id, error)
      settle(node, 'FAILED')
      failures.errors.push(describe(deps, work, node, error))
      // Calls are still in flight. A cancellation from now on finds a run that has failed.
      if ((running > 0 || work.calls.count > 0) && work.journal) {
        failures.isStoring = Promise.all([failures.isStoring, storeErrors(deps, work, failures)])
      }
    },
  }
}

async function storeErrors(deps: RunDeps, work: RunWork, failures: Failures): Promise<void> {
  const { claim, hasWaits, journal } = work
  const { errors } = failures
  try {
    // Nothing is executed again once they are stored, so nobody would learn it later.
    if (work.spoiled.length > 0) await spoilUnusable(deps, work)
    const isFirst = await journal?.nodeErrors(claim, errors, { hasWaits })
    failures.isStored ||= isFirst === true
  } catch (cause) {
    work.halt.stop(cause as Error)
  }
}

function describe(deps: RunDeps, work: RunWork, node: PlanNode, error: unknown): RunNodeError {
  const known = toNodeError(error)
  if (!known) deps.onError(error, work.row.id)
  const at = new Date(deps.clock.nowMs()).toISOString()
  return { nodeId: node.id, type: node.typeName, ...(known ?? unforeseen), at }
}

async function endCompleted(deps: RunDeps, work: RunWork, outputs: Record<string, unknown>) {
  try {
    // Two extra levels: the keys of the outputs, and the ports of those with several.
    assertBounded(outputs, maxDepth + 2)
  } catch (error) {
    const { code, message } = toNodeError(error) ?? unforeseen
    const about = { code, message: `The outputs: ${message}`, retryable: false }
    return failWith(deps, work, [runError(deps, about)])
  }
  // What an item that failed had begun under an earlier worker is not begun again here.
  const mayBeOut = [...work.steps.values()].some(
    ({ status, kind }) => status === 'STARTED' && (kind === 'TEXT' || kind === 'MEDIA'),
  )
  return finish(deps, work, {
    status: 'COMPLETED',
    ifCancelled: wasDoneBeforeCancel(work) ? 'COMPLETED' : 'CANCELLED',
    outputs: await storeOutputs(deps, work, outputs),
    nodeErrors: null,
    inFlight: mayBeOut && (await hasCallsLeft(deps, work)),
  })
}

/** The outputs and their text are in memory until they are stored, which may take a while. */
async function storeOutputs(deps: RunDeps, work: RunWork, outputs: Record<string, unknown>) {
  work.held.keep(memoryOfAll(outputs))
  await untilRoomAndTurn(work.held, deps.clock, memoryOfAll(outputs))
  const text = JSON.stringify(outputs)
  work.held.keep(text.length)
  return deps.payloads.put(work.row.account_id, text)
}

/** All its calls were stored as ended before the cancellation was requested. */
export function wasDoneBeforeCancel({ row, steps }: RunWork): boolean {
  const askedAtMs = row.cancel_requested_at
  if (askedAtMs === null || steps.size === 0) return false
  return [...steps.values()].every(({ ended_at }) => ended_at !== null && ended_at <= askedAtMs)
}

async function endFailed(
  deps: RunDeps,
  work: RunWork,
  failures: Failures,
  outputs: Record<string, unknown>,
) {
  const errors = failures.errors.length > 0 ? failures.errors : failedSteps(work)
  const isOverCost = errors.some(({ code }) => code === 'COST_LIMIT_REACHED')
  const isKept = isOverCost && Object.keys(outputs).length > 0
  const kept = isKept ? await storeOutputs(deps, work, outputs) : null
  const ifCancelled = failures.isStored ? 'FAILED' : 'CANCELLED'
  // Calls of an earlier worker are not known here.
  const mayBeOut = work.steps.size > 0 || work.hasWaits
  const inFlight = mayBeOut && (await hasCallsLeft(deps, work))
  return failWith(deps, work, errors, { outputs: kept, ifCancelled, inFlight })
}

/** Failures that an earlier worker recorded, as errors of the nodes that made the calls. */
export function failedSteps({ steps, compiled }: RunWork): RunNodeError[] {
  const errors = new Map<PlanNode, RunNodeError>()
  for (const step of steps.values()) {
    if (step.status !== 'FAILED' || isTolerated(compiled, step)) continue
    const node = compiled.plan.nodes.find(({ id }) => id === /^[^[/#]+/.exec(step.path)?.[0])
    if (!node || errors.has(node)) continue
    const at = new Date(step.ended_at).toISOString()
    errors.set(node, { nodeId: node.id, type: node.typeName, ...step.error, at })
  }
  return [...errors.values()]
}

/** The run had already failed when its worker died, so nothing more is begun. */
async function endFailedBefore(deps: RunDeps, work: RunWork, errors: readonly RunNodeError[]) {
  const { nodes: packed, created_at: createdAtMs } = work.row
  if (packed !== null) work.nodes = unpackNodes(packed.value, createdAtMs)
  work.isPaid = true
  for (const { nodeId } of errors) {
    const node = work.compiled.plan.nodes.find(({ id }) => id === nodeId)
    if (node) progressOf(work, node).status = 'FAILED'
  }
  const inFlight = await hasCallsLeft(deps, work)
  return failWith(deps, work, errors, { ifCancelled: 'FAILED', inFlight })
}

export function failWith(
  deps: RunDeps,
  work: RunWork,
  errors: readonly RunNodeError[],
  options: { outputs?: string | null; ifCancelled?: EndStatus; inFlight?: boolean } = {},
) {
  leaveUnfinished(deps, work)
  return finish(deps, work, {
    status: 'FAILED',
    ifCancelled: options.ifCancelled ?? 'CANCELLED',
    outputs: options.outputs ?? null,
    nodeErrors: errors,
    inFlight: options.inFlight ?? false,
  })
}

/** A failure of the run as a whole. */
export const runError = (deps: RunDeps, error: NodeError): RunNodeError => ({
  nodeId: '',
  type: 'run',
  ...error,
  at: new Date(deps.clock.nowMs()).toISOString(),
})

async function endStopped(
  deps: RunDeps & { cancelTasks(runId: string): Promise<void> },
  work: RunWork,
  failures: Failures,
  reason: RunCancelled | RunTimeUp,
) {
  // Calls unknown to this worker may have been paid: by an earlier one, or since the stop.
  work.isPaid = true
  await Promise.allSettled(work.orders)
  const isAnyOut = async () => work.callsOut > 0 || hasCallsLeft(deps, work)
  const wereAnyOut = await isAnyOut()
  if (wereAnyOut) await deps.cancelTasks(work.row.id)
  const inFlight = wereAnyOut && (await isAnyOut())
  if (reason instanceof RunTimeUp) {
    const message = 'The time limit of the run has passed.'
    const error = { code: 'RUN_TIMEOUT' as const, message, retryable: true }
    const late = lateNodes(deps, work, error)
    const errors = late.length > 0 ? late : [runError(deps, error)]
    return failWith(deps, work, [...failures.errors, ...errors], { inFlight })
  }
  leaveUnfinished(deps, work)
  return finish(deps, work, {
    status: 'FAILED',
    ifCancelled: failures.isStored ? 'FAILED' : 'CANCELLED',
    outputs: null,
    nodeErrors: failures.isStored ? failures.errors : null,
    inFlight,
  })
}

function lateNodes(deps: RunDeps, work: RunWork, error: NodeError): RunNodeError[] {
  const at = new Date(deps.clock.nowMs()).toISOString()
  return work.compiled.plan.nodes.flatMap(({ index, id, typeName }) => {
    const progress = work.nodes[index]
    if (progress?.status !== 'RUNNING' && progress?.status !== 'WAITING') return []
    progress.status = 'FAILED'
    progress.completedAtMs = deps.clock.nowMs()
    return [{ nodeId: id, type: typeName, ...error, at }]
  })
}

function leaveUnfinished({ clock }: RunDeps, { nodes }: RunWork) {
  for (const node of nodes) {
    const isUnderWay = node.status === 'RUNNING' || node.status === 'WAITING'
    if (isUnderWay) node.completedAtMs = clock.nowMs()
    if (isUnderWay || node.status === 'PENDING') node.status = 'CANCELLED'
  }
}
