// Estimates what a run will cost without running it. Known inputs are passed
// through the graph; everything that had to be assumed is listed. Never calls a provider.

import { setImmediate } from 'node:timers/promises'
import { currency, toAmount } from '#core/money.ts'
import { addReused, perhapsFound } from '../node/estimate-reuse.ts'
import { addUnits, known, local } from '../node/guess.ts'
import type { ModelLookup } from '../node/models.ts'
import type { Estimated, EstimateEnv, Guess } from '../node/node-type.ts'
import type { EstimateReuse } from '../node/reuse-lookup.ts'
import type { Plan } from '../plan/plan.ts'
import { findNodeType } from '../types/table.ts'
import type { CalledWorkflow } from '../validation/calls.ts'
import { deadResults, unsupportedNodes } from '../validation/unsupported.ts'
import { boundTools, type EstimateTools } from './estimate-budget.ts'
import { walkPlan } from './estimate-walk.ts'

export type Estimate = {
  estimatedCost: number
  lowCost: number
  highCost: number
  currency: string
  nodeEstimates: {
    nodeId: string
    type: string
    model: string | null
    calls: number
    estimatedCost: number | null
    lowCost: number | null
    highCost: number | null
    exact: boolean
    units: Readonly<Record<string, number>>
  }[]
  assumptions: string[]
  exact: boolean
  /** Of a run that takes over earlier answers: nodes that make no call, and what that saves. */
  reusableNodes?: string[]
  savedCost?: number
}

type EstimateOptions = {
  models: ModelLookup
  called: ReadonlyMap<number, CalledWorkflow>
  tools: EstimateTools
  /** How many items or passes a node of the workflow itself had in earlier runs. */
  usualItems?: (nodeId: string) => Promise<number | null>
  reuse?: EstimateReuse | undefined
}

const maxAssumptions = 100
/** More than the longest list has items. After this many nodes and items, repeated ones are assumed to cost what the first one did. */
const maxVisits = 12_000
/** How long an estimate may block the event loop before other requests are served. */
const maxTickMs = 10

export async function estimatePlan(
  plan: Plan,
  given: Readonly<Record<string, unknown>>,
  options: EstimateOptions,
): Promise<Estimate> {
  const assumptions = new Set<string>()
  const note = (sentence: string) => {
    if (assumptions.size < maxAssumptions) assumptions.add(sentence)
  }
  const env = createEnv(options, note)
  const values = new Map(Object.entries(given).map(([id, value]) => [id, known(value)]))
  const { nodes, total } = await walkPlan(plan, values, env, note, options.usualItems)
  const refused = refusedResults(plan, given, options)
  for (const { key } of refused) {
    note(`output "${key}" needs a node that cannot run on this server: a run would be refused.`)
  }
  const isRefused = new Set(refused.map(({ node }) => node))
  const isExact = ({ node, estimated }: (typeof nodes)[number]) =>
    estimated.exact && !isRefused.has(node.index)
  return {
    estimatedCost: toCost(total.expected),
    lowCost: toCost(total.low),
    highCost: toCost(total.high),
    currency,
    nodeEstimates: nodes.map((visited) => {
      const { model, calls, cost, units } = visited.estimated
      return {
        nodeId: visited.node.id,
        type: visited.node.typeName,
        model,
        calls,
        estimatedCost: cost && toCost(cost.expected),
        lowCost: cost && toCost(cost.low),
        highCost: cost && toCost(cost.high),
        exact: isExact(visited),
        units,
      }
    }),
    assumptions: [...assumptions],
    exact: nodes.every(isExact),
    ...(options.reuse ? savings(nodes) : {}),
  }
}

function savings(nodes: Awaited<ReturnType<typeof walkPlan>>['nodes']) {
  const saved = nodes.reduce((sum, { estimated }) => sum + (estimated.reused?.savedMicros ?? 0), 0)
  const isWhole = ({ calls, reused }: Estimated) => reused !== undefined && calls === 0
  return {
    reusableNodes: nodes.flatMap(({ node, estimated }) => (isWhole(estimated) ? node.id : [])),
    savedCost: toCost(saved),
  }
}

/** Results for which a run is refused. Such a run costs nothing, so its estimate is not exact. */
function refusedResults(
  plan: Plan,
  given: Readonly<Record<string, unknown>>,
  { models, called }: EstimateOptions,
) {
  const dead = new Set(deadResults(plan, unsupportedNodes(plan, models, called), given))
  return plan.results.filter(({ key }) => dead.has(key))
}

const toCost = (micros: number) => toAmount(Math.round(micros))

function createEnv(
  { models, called, tools, reuse }: EstimateOptions,
  note: (sentence: string) => void,
): EstimateEnv {
  const earlier = new Map<number, Estimated>()
  /** For calls that are not looked at: which of them find an answer, only a run can tell. */
  const further = new Map<number, Estimated>()
  let visited = 0
  let sinceMs = performance.now()
  async function visit(count: number): Promise<boolean> {
    visited += count
    if (performance.now() - sinceMs > maxTickMs) {
      await setImmediate()
      sinceMs = performance.now()
    }
    return visited <= maxVisits
  }
  const env: EstimateEnv = {
    models,
    nodeType: findNodeType,
    calls: (workflowId) => called.get(workflowId)?.ports,
    ...boundTools(tools, note),
    visit,
    reuse,
    async callWorkflow(workflowId, inputs, around) {
      const target = called.get(workflowId)
      if (!target) return local({})
      const before = earlier.get(workflowId)
      if (!(await visit(target.plan.nodes.length)) && before) {
        note(`Further calls of workflow ${workflowId} are assumed to cost the same as the first.`)
        const unseen = { ...env, reuse: perhapsFound(around) }
        const like = around
          ? (further.get(workflowId) ?? (await estimateCall(target, inputs, unseen)))
          : before
        further.set(workflowId, like)
        return { ...like, exact: false }
      }
      const estimated = await estimateCall(target, inputs, { ...env, reuse: around })
      earlier.set(workflowId, estimated)
      return estimated
    },
  }
  return env
}

async function estimateCall(
  { workflowId, plan }: CalledWorkflow,
  inputs: Readonly<Record<string, Guess>>,
  env: EstimateEnv,
): Promise<Estimated> {
  const assumptions = new Set<string>()
  // As in a run: where null arrives, the default of the input counts.
  const given = Object.entries(inputs).filter(([, guess]) => !guess.known || guess.value !== null)
  const { nodes, total, outputs } = await walkPlan(plan, new Map(given), env, (s) =>
    assumptions.add(`in workflow ${workflowId}, ${s}`),
  )
  return {
    model: null,
    calls: nodes.reduce((sum, { estimated }) => sum + estimated.calls, 0),
    units: nodes.reduce((sum, { estimated }) => addUnits(sum, estimated.units), {}),
    cost: total,
    exact: nodes.every(({ estimated }) => estimated.exact),
    ...addReused(nodes.map(({ estimated }) => estimated)),
    assumptions: [...assumptions],
    outputs,
  }
}
