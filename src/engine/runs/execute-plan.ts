// Executes one plan in memory: a node starts when all its sources have settled, at most eight at
// once; a branch not taken is skipped; after the first failure no node starts and the running ones
// finish. Knows nothing of the store: calls to the outside go through the execution it is given.

import { NodeFailure } from '#graph/node/node-failure.ts'
import type { NodeExecution, NodeInputs, NodeOutputs } from '#graph/node/node-type.ts'
import { isGiven, type PlanNode, startValue } from '#graph/plan/plan.ts'
import type { Activity } from './activity.ts'
import type { KeptValues } from './kept-values.ts'
import { WindingDown } from './run-halt.ts'
import { type HeldValues, memoryOfAll } from './run-memory.ts'
import type { CompiledPlan } from './run-plan.ts'

const maxAtOnce = 8

/** Slots for nodes at work, shared by a run and the workflows it calls. */
export type NodeSlots = { free: number; waiting: Set<() => void> }

export const createNodeSlots = (free = maxAtOnce): NodeSlots => ({ free, waiting: new Set() })

export type PlanObserver = {
  /** Throws if no further node may start. */
  mayStart(): void
  started(node: PlanNode, inputs: NodeInputs<unknown>): void
  completed(node: PlanNode, outputs: NodeOutputs): void
  skipped(node: PlanNode): void
  failed(node: PlanNode, error: unknown): void
}

export type PlanEnd = {
  /** By output key; for a failed plan, those that were reached. */
  outputs: Record<string, unknown>
  failures: { node: PlanNode; error: unknown }[]
}

type Options = {
  slots: NodeSlots
  /** Shared with the workflows it calls. */
  held: HeldValues
  observer: PlanObserver
  /** Nodes that do not depend on a failed one still start. */
  goOn?: true
  /** Ends with the first failure, without awaiting running nodes: the run awaits their calls. */
  failsFast?: true
  execution(node: PlanNode): NodeExecution
  activity: Activity
  values: KeptValues
}

/** One execution under way. */
type Walk = {
  readonly compiled: CompiledPlan
  readonly given: Readonly<Record<string, unknown>>
  readonly options: Options
  /** By node index; null if the node has not completed, or if no other will read it any more. */
  readonly values: (NodeOutputs | null)[]
  /** By node index: the memory its value takes. */
  readonly sizes: number[]
  /** By node index: how often its value will still be read. */
  readonly unread: number[]
  /** By node index: how many of its connections still wait for their source. */
  readonly unsettled: number[]
  readonly ready: number[]
  readonly failures: PlanEnd['failures']
  readonly finish: (end: PlanEnd) => void
  readonly wake: () => void
  running: number
  settledCount: number
  isAdvancing: boolean
  isOver: boolean
  /** Waits for memory, and counts as busy. */
  isHeldUp: boolean
}

export function executePlan(
  compiled: CompiledPlan,
  given: Readonly<Record<string, unknown>>,
  options: Options,
): Promise<PlanEnd> {
  const { promise, resolve } = Promise.withResolvers<PlanEnd>()
  const walk: Walk = {
    compiled,
    given,
    options,
    values: new Array(compiled.plan.nodes.length).fill(null),
    sizes: new Array(compiled.plan.nodes.length).fill(0),
    unread: [...compiled.readCounts],
    unsettled: [...compiled.wireCounts],
    ready: [...compiled.starters],
    failures: [],
    finish: resolve,
    wake: () => advance(walk),
    running: 0,
    settledCount: 0,
    isAdvancing: false,
    isOver: false,
    isHeldUp: false,
  }
  options.values.now.add(walk)
  advance(walk)
  return promise
}

/** Starts ready nodes in a loop, without recursion: a chain may have a hundred local nodes. */
function advance(walk: Walk) {
  const { compiled, options, ready, failures } = walk
  if (walk.isHeldUp) options.activity.end()
  walk.isHeldUp = false
  if (walk.isAdvancing || walk.isOver) return
  walk.isAdvancing = true
  for (let index = ready.shift(); index !== undefined; index = ready.shift()) {
    const node = compiled.plan.nodes[index]
    if (!node || (failures.length > 0 && !options.goOn)) continue
    const inputs = inputsOf(walk, node)
    if (!inputs) {
      options.observer.skipped(node)
      settle(walk, node)
    } else if (compiled.onlyWaits[index]) start(walk, node, inputs)
    else if (options.held.mustWait(walk.wake)) {
      ready.unshift(index)
      walk.isHeldUp = true
      options.activity.begin()
      break
    } else if (options.slots.free > 0) {
      options.slots.free--
      start(walk, node, inputs)
    } else {
      ready.unshift(index)
      options.slots.waiting.add(walk.wake)
      break
    }
  }
  walk.isAdvancing = false
  const isDone = walk.settledCount === compiled.plan.nodes.length || failures.length > 0
  if (!isDone || (walk.running > 0 && !mayLeave(walk)) || ready.length > 0) return
  walk.isOver = true
  options.values.now.delete(walk)
  for (const [index, outputs] of walk.values.entries()) {
    if (outputs) options.held.remove(walk.sizes[index] ?? 0)
  }
  walk.finish({ outputs: resultsOf(walk), failures })
}

/** A node that did not begin because the run is ending has no failure of its own to report. */
const mayLeave = ({ options, failures }: Walk): boolean =>
  options.failsFast === true && failures.some(({ error }) => !(error instanceof WindingDown))

/** Null if the node is skipped. */
function inputsOf({ compiled, given, values }: Walk, node: PlanNode): NodeInputs<unknown> | null {
  if (compiled.plan.leftOut?.has(node.index)) return null
  if (isGiven(node, given)) return { ports: { value: given[node.id] }, merged: [] }
  if (compiled.skipped.has(node.index)) return null
  const merge = compiled.isMerge[node.index] === true
  const ports = Object.assign(blank(), node.fills)
  const merged: { source: string; value: unknown }[] = []
  for (const { port, source, sourcePort } of node.wires) {
    const value = values[source]?.[sourcePort]
    if (value === undefined) {
      if (merge) continue
      return null
    }
    if (merge) merged.push({ source: compiled.plan.nodes[source]?.id ?? '', value })
    else ports[port] = value
  }
  if (merge && node.wires.length > 0 && merged.length === 0) return null
  if (node.type.inputSchema) ports.value = startValue(node, given)
  return { ports, merged }
}

function start(walk: Walk, node: PlanNode, inputs: NodeInputs<unknown>) {
  const { observer, execution } = walk.options
  walk.running++
  try {
    observer.mayStart()
    observer.started(node, inputs)
    const execute = node.type.execute
    if (!execute) throw new NodeFailure('INTERNAL_ERROR', 'The node cannot run here.')
    const outputs = keptBefore(walk, node) ?? execute(execution(node), inputs, node.config)
    if (outputs instanceof Promise) {
      outputs.then(
        (value) => end(walk, node, value),
        (error) => end(walk, node, null, error),
      )
    } else end(walk, node, outputs)
  } catch (error) {
    end(walk, node, null, error)
  }
}

/** What it computed before the run slept: another version of the server might compute otherwise. */
function keptBefore({ options: { values } }: Walk, node: PlanNode): NodeOutputs | undefined {
  return values.before.size > 0 ? values.before.get(values.under + node.id) : undefined
}

function end(walk: Walk, node: PlanNode, outputs: NodeOutputs | null, error?: unknown) {
  const { observer, slots } = walk.options
  walk.running--
  if (!walk.compiled.onlyWaits[node.index]) releaseSlot(slots)
  if (walk.isOver) return
  const failure = outputs ? keep(walk, node, outputs) : { error }
  if (outputs && !failure) {
    observer.completed(node, outputs)
    settle(walk, node)
  } else {
    walk.failures.push({ node, error: failure?.error })
    observer.failed(node, failure?.error)
  }
  advance(walk)
}

/** Returns the error if the run may hold no more. */
function keep(walk: Walk, node: PlanNode, outputs: NodeOutputs): { error: unknown } | undefined {
  if (walk.unread[node.index] === 0) return
  // The run's inputs are counted once, from its beginning to its end.
  const bytes = isGiven(node, walk.given) ? 0 : memoryOfAll(outputs)
  try {
    walk.options.held.add(bytes)
    walk.sizes[node.index] = bytes
    walk.values[node.index] = outputs
  } catch (error) {
    return { error }
  }
}

function settle(walk: Walk, node: PlanNode) {
  walk.settledCount++
  for (const { source } of node.wires) wasRead(walk, source)
  for (const target of node.targets) {
    const left = (walk.unsettled[target] ?? 0) - 1
    walk.unsettled[target] = left
    if (left === 0) walk.ready.push(target)
  }
}

/** Drops a value after its last reader instead of keeping it until the run ends. */
function wasRead({ unread, values, sizes, options }: Walk, source: number) {
  const left = (unread[source] ?? 0) - 1
  unread[source] = left
  if (left > 0 || !values[source]) return
  values[source] = null
  options.held.remove(sizes[source] ?? 0)
}

function resultsOf({ compiled, values }: Walk): Record<string, unknown> {
  const outputs = blank()
  for (const { key, node, fields } of compiled.plan.results) {
    const value = values[node]
    const [only] = fields
    if (!value || !only) continue
    if (fields.length > 1) outputs[key] = pick(value, fields)
    else if (value[only.name] !== undefined) outputs[key] = value[only.name]
  }
  return outputs
}

/** Ports and nodes may have any name, even `__proto__`. */
const blank = (): Record<string, unknown> => Object.create(null)

function releaseSlot(slots: NodeSlots) {
  slots.free++
  if (slots.waiting.size === 0) return
  // All are woken: those that find no free slot wait again.
  for (const wake of slots.waiting) queueMicrotask(wake)
  slots.waiting.clear()
}

function pick(value: NodeOutputs, fields: readonly { name: string }[]): Record<string, unknown> {
  const picked = blank()
  for (const { name } of fields) if (value[name] !== undefined) picked[name] = value[name]
  return picked
}
