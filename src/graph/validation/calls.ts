// Resolves the workflows a graph calls, directly and indirectly. Each is loaded once, checked, and
// compiled to a plan, innermost first. Cycles are refused, and no more is loaded than the limits
// allow.

import { isRecord } from '#core/record.ts'
import type { ModelLookup } from '../node/models.ts'
import type { CheckEnv, Ports } from '../node/node-type.ts'
import { type Plan, portsOfPlan } from '../plan/plan.ts'
import { findNodeType } from '../types/table.ts'
import { type CallProblem, type CheckedGraph, checkGraph } from './check-graph.ts'
import { deadResults, unsupportedNodes } from './unsupported.ts'

export type StoredGraph = {
  workflowId: number
  version: number
  data: unknown
  /** Length as JSON. */
  chars: number
}

/** Loads the account's workflows, skipping missing ones. Null if together they exceed maxChars. */
export type LoadGraphs = (
  workflowIds: readonly number[],
  limits: { maxChars: number },
) => Promise<readonly StoredGraph[] | null>

export type CalledWorkflow = {
  workflowId: number
  version: number
  plan: Plan
  ports: Ports
  /** One of its outputs needs a node that cannot run here. */
  isUnsupported: boolean
}

export type CallTable = {
  /** All called workflows, direct and indirect. */
  readonly called: ReadonlyMap<number, CalledWorkflow>
  problem(workflowId: number): CallProblem | null
}

const maxDepth = 5
const maxWorkflows = 50
const maxLoadedChars = 10 * 1024 * 1024

export type CallOptions = {
  load: LoadGraphs
  models: ModelLookup
  /** The id of the workflow itself if it is stored: a call to it is recursion. */
  selfId: number | null
}

export async function resolveCalls(data: unknown, options: CallOptions): Promise<CallTable> {
  const graphs = await loadAll(directCalls(data), options.load)
  const called = new Map<number, CalledWorkflow>()
  const outcomes = new Map<number, Outcome>()
  const stack: number[] = options.selfId === null ? [] : [options.selfId]

  function visit(workflowId: number): Outcome {
    const ready = outcomes.get(workflowId)
    if (ready) return ready
    if (stack.includes(workflowId)) return recursion([...stack, workflowId])
    const graph = graphs.loaded.get(workflowId)
    if (!graph) return graphs.asked.has(workflowId) ? missing(workflowId) : graphs.cut
    stack.push(workflowId)
    const outcome = open(graph)
    stack.pop()
    outcomes.set(workflowId, outcome)
    return outcome
  }

  function open(graph: StoredGraph): Outcome {
    let height = 1
    for (const inner of directCalls(graph.data)) {
      const outcome = visit(inner)
      if ('code' in outcome) return outcome
      height = Math.max(height, outcome.height + 1)
    }
    if (height > maxDepth) return tooDeep
    const checked = checkGraph(
      graph.data,
      envOf(options.models, called, () => null),
    )
    if (!checked.plan) return broken(graph.workflowId, checked)
    called.set(graph.workflowId, toCalled(graph, checked.plan, options.models, called))
    return { height }
  }

  for (const workflowId of directCalls(data)) visit(workflowId)
  return {
    called,
    problem: (workflowId) => {
      const outcome = visit(workflowId)
      return 'code' in outcome ? outcome : null
    },
  }
}

type Outcome = { height: number } | CallProblem

export const envOf = (
  models: ModelLookup,
  called: ReadonlyMap<number, CalledWorkflow>,
  callProblem: (workflowId: number) => CallProblem | null,
): CheckEnv & { callProblem: typeof callProblem } => ({
  models,
  nodeType: findNodeType,
  calls: (workflowId) => called.get(workflowId)?.ports,
  callProblem,
})

const toCalled = (
  { workflowId, version }: StoredGraph,
  plan: Plan,
  models: ModelLookup,
  called: ReadonlyMap<number, CalledWorkflow>,
): CalledWorkflow => ({
  workflowId,
  version,
  plan,
  ports: portsOfPlan(plan),
  isUnsupported: deadResults(plan, unsupportedNodes(plan, models, called)).length > 0,
})

/** The distinct workflows a graph calls directly. Works for invalid graphs too. */
function directCalls(data: unknown): number[] {
  const nodes = isRecord(data) && Array.isArray(data.nodes) ? data.nodes : []
  const found = new Set<number>()
  for (const node of nodes.slice(0, 200)) {
    if (!isRecord(node) || typeof node.type !== 'string' || !isRecord(node.data)) continue
    const target = findNodeType(node.type)?.calls?.(node.data) ?? null
    if (target !== null) found.add(target)
  }
  return [...found]
}

/** Loads breadth-first, with one query per level. */
async function loadAll(first: readonly number[], load: LoadGraphs) {
  const loaded = new Map<number, StoredGraph>()
  const asked = new Set<number>()
  let wanted = first
  let charsLeft = maxLoadedChars
  // Loads one level more than allowed, to tell "too deep" from "not found".
  for (let level = 0; level <= maxDepth && wanted.length > 0; level++) {
    if (asked.size + wanted.length > maxWorkflows) return { loaded, asked, cut: tooMany }
    for (const id of wanted) asked.add(id)
    const graphs = await load(wanted, { maxChars: charsLeft })
    if (!graphs) return { loaded, asked: new Set(loaded.keys()), cut: tooLarge }
    for (const graph of graphs) {
      loaded.set(graph.workflowId, graph)
      charsLeft -= graph.chars
    }
    const next = new Set(graphs.flatMap((graph) => directCalls(graph.data)))
    wanted = [...next].filter((id) => !asked.has(id))
  }
  return { loaded, asked, cut: tooDeep }
}

const missing = (workflowId: number): CallProblem => ({
  code: 'SUBWORKFLOW_NOT_FOUND',
  message: `There is no workflow ${workflowId} in this account: call one that exists.`,
})

const broken = (workflowId: number, { errors }: CheckedGraph): CallProblem => ({
  code: 'SUBWORKFLOW_NOT_FOUND',
  message: `Workflow ${workflowId} cannot be called, as it is no longer valid: ${errors[0]?.message}`,
})

/** The last workflow of the chain is called a second time, which closes the cycle. */
function recursion(callChain: readonly number[]): CallProblem {
  const cycle = callChain.slice(callChain.indexOf(callChain.at(-1) ?? 0))
  return {
    code: 'SUBWORKFLOW_RECURSION',
    message: `A workflow must not call itself, directly or through others: ${cycle.join(' → ')}.`,
  }
}

const tooDeep: CallProblem = {
  code: 'SUBWORKFLOW_RECURSION',
  message: `Workflow calls may be nested at most ${maxDepth} levels deep: flatten the calls.`,
}

const tooMany: CallProblem = {
  code: 'INVALID_CONFIG',
  message: `A workflow may call at most ${maxWorkflows} others, directly and indirectly: call fewer.`,
}

const tooLarge: CallProblem = {
  code: 'INVALID_CONFIG',
  message: 'The workflows this one calls are too large together: call fewer or smaller ones.',
}
