// The finished calls of a run that a retry reuses. They are copied, because the old run and the new
// one are deleted at different times.

import { isReference, nullIfGone } from '#core/payload-text.ts'
import type { ReusedStep } from '#core/run-submission.ts'
import type { DoneStep, Step } from '#core/step-states.ts'
import { StoreUnavailable } from '#store/db.ts'
import type { RunRow } from '#store/tables/runs.ts'
import { findGraph } from '#store/tables/workflows.ts'
import type { Context } from '../context.ts'
import { behindFailedItems, mayHaveFailedItems } from './failed-items.ts'
import { rootOf } from './get-workflow-run-node.ts'

/** Several at a time, because each copy waits for the disk or the network. */
const copiesAtOnce = 16
/** Reused results are stored together. Beyond this total, all but the shortest become blobs. */
const roomyBytes = 8 * 1024 * 1024

/** The reusable steps of the old run. Their cost belongs to the old run and is 0 in the new one. */
export async function reusedSteps(
  context: Context,
  old: RunRow,
  isReusable: (nodeId: string) => boolean,
): Promise<ReusedStep[]> {
  const { services } = context
  const finished = await reusableSteps(context, old, isReusable)
  const gone = new Set<string>()
  const copies: ReusedStep[] = []
  const copy = copier(context, old)
  let next = 0
  const copyMore = async () => {
    for (let step = finished[next]; step; step = finished[next]) {
      const index = next++
      const copied = await copy(step)
      if (copied === 'gone') gone.add(rootOf(step.path))
      else copies[index] = copied
    }
  }
  await Promise.all(Array.from({ length: copiesAtOnce }, copyMore)).finally(() => {
    // If one has failed, the others need not continue.
    next = finished.length
  })
  // Steps that are not reused left holes.
  const reused = Object.values(copies)
  if (gone.size === 0) return reused
  // What has been deleted is generated again, together with everything derived from it.
  const graph = await findGraph(services.db, old.workflow_id, old.data_version)
  const remade = nodesBehind(gone, graph?.value.connections ?? [])
  return reused.filter(({ path }) => !remade.has(rootOf(path)))
}

/** The steps that a retry may reuse, unless media in their results has been deleted. */
export async function reusableSteps(
  context: Context,
  old: RunRow,
  isReusable: (nodeId: string) => boolean,
): Promise<DoneStep[]> {
  const steps = await context.services.runs.stepsOf(old.id)
  const { isUnusable, isBehind } = await lookInside(context, old, steps)
  const unanswered = new Set(steps.filter(isUnanswered).map(siteOf))
  return steps.filter(
    (step): step is DoneStep =>
      step.status === 'DONE' &&
      isReusable(rootOf(step.path)) &&
      !isUnusable(step) &&
      // A wait compares what it is given with what was answered.
      (step.kind === 'WAIT' || !isBehind(step)) &&
      !unanswered.has(siteOf(step)),
  )
}

/** Where in the run its node made the call. */
const siteOf = ({ path }: Pick<Step, 'path'>) => path.replace(/#\d+$/, '')

/**
 * A wait that nobody answered is waited for again, and what it had asked of another system is sent
 * again: it named the old wait. A delay that has passed has passed.
 */
function isUnanswered(step: Step): boolean {
  if (step.kind !== 'WAIT') return false
  if (step.status !== 'DONE') return true
  // A result that was left out is long: it holds an answer.
  if (step.result === null || isReference(step.result)) return false
  return JSON.parse(step.result).status === 'EXPIRED'
}

/** Codes of nodes that were answered, and could not use the answer. */
const unusableCodes = new Set(['TYPE_MISMATCH', 'TOO_DEEP', 'HTTP_FAILED'])

type Inside = {
  /** Its answer made its node fail. */
  isUnusable(step: Step): boolean
  /**
   * It was made from what failed items left out, and they are done again. If its request stays the
   * same, the new run finds its answer (`engine/runs/retried-answers.ts`).
   */
  isBehind(step: Step): boolean
}

const nothingInside: Inside = { isUnusable: () => false, isBehind: () => false }

/**
 * Finds the answers that made their nodes fail, such as text where JSON was asked for. Reused, they
 * would make every retry fail alike, so their calls are repeated. Only recomputing the run shows
 * which item of a list, or which node of a called workflow, it was.
 */
async function lookInside(context: Context, old: RunRow, steps: readonly Step[]): Promise<Inside> {
  const mayBe =
    old.node_errors?.some(({ code }) => unusableCodes.has(code) || code === 'SUBWORKFLOW_FAILED') ||
    // Answers of a batch are stored before their nodes see them.
    old.options?.deadlineMs !== undefined ||
    (await mayHaveFailedItems(context, old))
  if (!mayBe) return nothingInside
  try {
    const run = await context.services.runs.reconstruct(old, steps, '')
    return {
      isUnusable: ({ path, kind }) =>
        kind !== 'IMPORT' && unusableCodes.has(run.nodes.get(siteOf({ path }))?.error?.code ?? ''),
      isBehind: behindFailedItems(run),
    }
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    // Its graph cannot be compiled any more, for example because a model was removed.
    return nothingInside
  }
}

/** Copies single steps; 'gone' if its result, or media in it, has been deleted. */
function copier({ services }: Context, old: RunRow) {
  const { payloads, keepMedia, stepResultOf } = services.runs
  const inTurn = oneAtATime()
  let bytes = 0

  async function copyResult(step: DoneStep, held: string) {
    const json = await payloads.get(old.account_id, held).catch(nullIfGone)
    if (json === null) return 'gone'
    const ours = await keepMedia(old.account_id, JSON.parse(json))
    if (ours === undefined) return 'gone'
    const maxBytesInRow = bytes < roomyBytes ? undefined : 1024
    const result = await payloads.put(old.account_id, JSON.stringify(ours), maxBytesInRow)
    bytes += result.length
    const { path, kind, attempts, started_at, ended_at, task_id: taskId } = step
    return { path, kind, attempts, taskId, result, startedAtMs: started_at, endedAtMs: ended_at }
  }

  return async (step: DoneStep): Promise<ReusedStep | 'gone'> => {
    const held = step.result ?? (await stepResultOf(step))
    // Results that do not fit into a row may be megabytes long, so only one is in memory at a time.
    return isReference(held) ? inTurn(() => copyResult(step, held)) : copyResult(step, held)
  }
}

function oneAtATime() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }
}

/** These nodes and all nodes that depend on them, directly or indirectly. */
export function nodesBehind(
  first: ReadonlySet<string>,
  connections: readonly { source: string; target: string }[],
): Set<string> {
  const targets = Map.groupBy(connections, ({ source }) => source)
  const found = new Set(first)
  // Iterating over a Set also visits the members added meanwhile.
  for (const id of found) for (const { target } of targets.get(id) ?? []) found.add(target)
  return found
}
