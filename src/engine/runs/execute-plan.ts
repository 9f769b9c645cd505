// Executes one plan in memory: a node starts when all that feeds it is settled, at most eight at
// once; a branch not taken is skipped; the first failure stops scheduling and the rest settles.
// Knows nothing of the store: what goes outside goes through the execution it is handed.

import { NodeFailure } from '#nodes/execution/node-execution.ts'
import { isGiven, type PlanNode, startValue } from '#nodes/execution/plan.ts'
import type { NodeExecution, NodeInputs, NodeOutputs } from '#nodes/node-type.ts'
import type { CompiledPlan } from './run-plan.ts'

const maxAtOnce = 8

/** Places for nodes at work, shared by a run and the workflows it calls. */
export type Places = { free: number; waiting: Set<() => void> }

export const createPlaces = (): Places => ({ free: maxAtOnce, waiting: new Set() })

export type PlanObserver = {
  /** Throws if no further node may start. */
  mayStart(): void
  started(node: PlanNode, inputs: NodeInputs<unknown>): void
  completed(node: PlanNode, outputs: NodeOutputs): void
  skipped(node: PlanNode): void
  failed(node: PlanNode, error: unknown): void
}

export type PlanEnd = {
  /** By output key; also of a plan that failed, as far as it came. */
  outputs: Record<string, unknown>
  failures: { node: PlanNode; error: unknown }[]
  /** By node index; null where a node did not complete. */
  values: (NodeOutputs | null)[]
}

export function executePlan(
  { plan, starters, wireCounts, skipped, isMerge, onlyWaits }: CompiledPlan,
  given: Readonly<Record<string, unknown>>,
  options: {
    places: Places
    observer: PlanObserver
    /** Nodes that do not need a failed one still start. */
    goOn?: true
    execution(node: PlanNode): NodeExecution
  },
): Promise<PlanEnd> {
  const { places, observer } = options
  const { promise, resolve } = Promise.withResolvers<PlanEnd>()
  const values: (NodeOutputs | null)[] = new Array(plan.nodes.length).fill(null)
  const unsettled = [...wireCounts]
  const ready = [...starters]
  const failures: PlanEnd['failures'] = []
  let running = 0
  let settledCount = 0
  let isTurning = false
  let isOver = false

  /** Without recursion: a chain of a hundred local nodes is one loop. */
  function turn() {
    if (isTurning || isOver) return
    isTurning = true
    for (let index = ready.shift(); index !== undefined; index = ready.shift()) {
      const node = plan.nodes[index]
      if (!node || (failures.length > 0 && !options.goOn)) continue
      const inputs = isGiven(node, given)
        ? { ports: { value: given[node.id] }, merged: [] }
        : skipped.has(index)
          ? null
          : inputsOf(node)
      if (!inputs) {
        observer.skipped(node)
        settle(node)
      } else if (onlyWaits[index]) start(node, inputs)
      else if (places.free > 0) {
        places.free--
        start(node, inputs)
      } else {
        ready.unshift(index)
        places.waiting.add(turn)
        break
      }
    }
    isTurning = false
    const isDone = settledCount === plan.nodes.length || failures.length > 0
    if (!isDone || running > 0 || ready.length > 0) return
    isOver = true
    resolve({ outputs: resultsOf(), failures, values })
  }

  function inputsOf(node: PlanNode): NodeInputs<unknown> | null {
    const merge = isMerge[node.index] === true
    const ports = Object.assign(blank(), node.fills)
    const merged: { source: string; value: unknown }[] = []
    for (const { port, source, sourcePort } of node.wires) {
      const value = values[source]?.[sourcePort]
      if (value === undefined) {
        if (merge) continue
        return null
      }
      if (merge) merged.push({ source: plan.nodes[source]?.id ?? '', value })
      else ports[port] = value
    }
    if (merge && node.wires.length > 0 && merged.length === 0) return null
    if (node.type.inputSchema) ports.value = startValue(node, given)
    return { ports, merged }
  }

  function start(node: PlanNode, inputs: NodeInputs<unknown>) {
    running++
    try {
      observer.mayStart()
      observer.started(node, inputs)
      const execute = node.type.execute
      if (!execute) throw new NodeFailure('INTERNAL_ERROR', 'The node cannot run here.')
      const outputs = execute(options.execution(node), inputs, node.config)
      if (outputs instanceof Promise) {
        outputs.then(
          (value) => end(node, value),
          (error) => end(node, null, error),
        )
      } else end(node, outputs)
    } catch (error) {
      end(node, null, error)
    }
  }

  function end(node: PlanNode, outputs: NodeOutputs | null, error?: unknown) {
    running--
    if (!onlyWaits[node.index]) giveBack(places)
    if (outputs) {
      values[node.index] = outputs
      observer.completed(node, outputs)
      settle(node)
    } else {
      failures.push({ node, error })
      observer.failed(node, error)
    }
    turn()
  }

  function settle(node: PlanNode) {
    settledCount++
    for (const target of node.targets) {
      const left = (unsettled[target] ?? 0) - 1
      unsettled[target] = left
      if (left === 0) ready.push(target)
    }
  }

  function resultsOf(): Record<string, unknown> {
    const outputs = blank()
    for (const { key, node, fields } of plan.results) {
      const value = values[node]
      const [only] = fields
      if (!value || !only) continue
      if (fields.length > 1) outputs[key] = pick(value, fields)
      else if (value[only.name] !== undefined) outputs[key] = value[only.name]
    }
    return outputs
  }

  turn()
  return promise
}

/** Ports and nodes may have any name, `__proto__` too. */
const blank = (): Record<string, unknown> => Object.create(null)

function giveBack(places: Places) {
  places.free++
  if (places.waiting.size === 0) return
  // All are woken: those that find no place wait again.
  for (const wake of places.waiting) queueMicrotask(wake)
  places.waiting.clear()
}

function pick(value: NodeOutputs, fields: readonly { name: string }[]): Record<string, unknown> {
  const picked = blank()
  for (const { name } of fields) if (value[name] !== undefined) picked[name] = value[name]
  return picked
}
