// The calls to the outside that a node of a run may make, each recorded under its path.

import { type ItemFailure, NodeFailure } from '#graph/node/node-failure.ts'
import { reuseOf, stricter } from '#graph/node/node-reuse.ts'
import type {
  ItemStart,
  Media,
  NodeExecution,
  NodeOutputs,
  PassedLoop,
} from '#graph/node/node-type.ts'
import { asStored } from '#graph/node/port-values.ts'
import { assertBounded } from '#graph/node/values.ts'
import type { PlanNode } from '#graph/plan/plan.ts'
import { findNodeType } from '#graph/types/table.ts'
import { OutboundFailed } from '#outbound/outbound-errors.ts'
import { busyWith } from './activity.ts'
import type { CallSite } from './call-site.ts'
import { callWorkflow } from './call-workflow.ts'
import { httpCall } from './http-call.ts'
import { failItem, itemScope } from './item-scope.ts'
import { loopKey } from './kept-values.ts'
import { type OutsideCall, recordedCall } from './make-call.ts'
import { makeMediaTask } from './media-call.ts'
import { type NodeScope, windDown } from './node-scope.ts'
import { noteUnusable } from './reuse.ts'
import { WindingDown } from './run-halt.ts'
import { runIsolated } from './run-isolated.ts'
import { memoryOf, untilRoomAndTurn } from './run-memory.ts'
import { generateText } from './text-call.ts'
import { makeWait } from './wait-call.ts'

export function nodeCalls(
  scope: NodeScope,
  path: string,
  from: Omit<CallSite, 'path' | 'calls'>,
): NodeExecution {
  const { deps, work } = scope
  const { root, progress, activity, places, reuse } = from
  const site: CallSite = { path, root, progress, calls: 0, activity, places, reuse }
  const recorded = <T>(call: OutsideCall<T>) => recordedCall(scope, site, call)
  let heldBytes = 0
  return {
    throwIfEnding: () => scope.halt.throwIfEnding(),
    generateText: async (call) => {
      const answer = await generateText(scope, site, call)
      if (answer.finish === 'length') progress.isCut = true
      return answer
    },
    createMediaTask: async (call) => (await makeMediaTask(scope, site, call)).map(asStored),
    httpRequest: (call) => recorded(httpCall(scope, call)),
    importMedia: async (url, kind) => asStored(await recorded(importCall(scope, url, kind))),
    async evaluateExpression(expression, input) {
      assertBounded(input)
      const evaluation = {
        owner: work.row.account_id,
        expression,
        input,
        // The same after a crash, when the node is computed again.
        nowMs: work.row.started_at ?? work.row.created_at,
        seed: `${work.row.id} ${path}`,
      }
      const reply = await busyWith(activity, () =>
        runIsolated(scope, (patience) => deps.evaluate(evaluation, patience)),
      )
      if ('value' in reply) return reply.value ?? null
      if ('error' in reply) throw new NodeFailure('EXPRESSION_ERROR', reply.error)
      if ('tooDeep' in reply) throw new NodeFailure('TOO_DEEP', reply.tooDeep)
      throw new NodeFailure('EXPRESSION_LIMIT', reply.limit)
    },
    callWorkflow: (workflowId, inputs) =>
      callWorkflow(scope, site, {
        workflowId,
        inputs,
        nodeCalls: (path, node) => nodeCalls(scope, path, insideOf(site, node)),
      }),
    wait: (request) => makeWait(scope, site, request),
    // The types cannot say that only an item that may fail has a failure.
    forItem: ((item, execute) =>
      executeItem(scope, site, { ...item, execute })) as NodeExecution['forItem'],
    passedBefore: () => work.values.before.get(loopKey(path)) as PassedLoop | undefined,
    notePassed(passed) {
      // Of a loop in a list there may be one for each item, and a list keeps its results itself.
      if (passed.isOver && path.includes('[')) work.values.loops.delete(path)
      else work.values.loops.set(path, passed)
    },
    noteItems(count) {
      if (path === root.id) progress.items = count
    },
    hold(value) {
      const bytes = memoryOf(value)
      work.held.add(bytes)
      heldBytes += bytes
      return busyWith(activity, () => untilRoomAndTurn(work.held, deps.clock))
    },
    dropHeld() {
      work.held.remove(heldBytes)
      heldBytes = 0
    },
    nodeType: findNodeType,
    calls: (workflowId) => work.compiled.called.get(workflowId)?.ports,
  }
}

/** For a node of a workflow that is called from here. */
function insideOf(site: CallSite, { type, config }: PlanNode): CallSite {
  const reuse = stricter(site.reuse, reuseOf(type, config))
  return reuse === site.reuse ? site : { ...site, reuse }
}

async function executeItem(
  scope: NodeScope,
  site: CallSite,
  { index, ports, place, reuse, mayFail, execute }: Item,
): Promise<NodeOutputs | ItemFailure | null> {
  const path = `${site.path}[${index}]`
  const { clock } = scope.deps
  const own = mayFail ? itemScope(scope) : scope
  try {
    scope.halt.throwIfEnding()
    const activity = site.activity.part((isAtRest) => {
      if (!isAtRest) return
      // What follows an operation of the item begins in this tick. Until its place is released, and
      // another item has begun, the list is not at rest, or the run would sleep too early.
      site.activity.begin()
      clock.nextTick(() => {
        if (activity.isAtRest) place.release()
        site.activity.end()
      })
    })
    const places = [...site.places, place]
    const item = { ...site, activity, places, reuse: stricter(site.reuse, reuse) }
    const outcome = (async () => execute(nodeCalls(own, path, item)))()
    scope.recorder?.item(path, ports, outcome)
    return await outcome
  } catch (error) {
    if (error instanceof WindingDown) return null
    noteUnusable(scope.work, path, error)
    const failure = mayFail ? await failItem(own, error) : null
    if (failure) {
      site.progress.failedItems++
      return failure
    }
    windDown(scope)
    throw error
  }
}

type Item = ItemStart & {
  mayFail?: true | undefined
  execute(item: NodeExecution): NodeOutputs | Promise<NodeOutputs>
}

function importCall(
  { deps, work }: NodeScope,
  url: string,
  kind: 'image' | 'video',
): OutsideCall<Media> {
  return {
    kind: 'IMPORT',
    isSafe: true,
    neededMicros: null,
    perform: async () => ({
      value: await deps.importMedia(work.row.account_id, url, {
        kind,
        signal: work.halt.signal(),
      }),
      costMicros: null,
    }),
    repeatAfterMs: (error) =>
      error instanceof OutboundFailed && ['dns', 'connect', 'timeout', 'reset'].includes(error.kind)
        ? 0
        : null,
  }
}
