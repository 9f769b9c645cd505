// What a run will cost, without running it (CONTRACT §10): known inputs flow through the graph,
// unknown ones as assumptions that are all told. Never calls a provider.
import { currency, toAmount } from '#core/money.ts'
import type { CalledWorkflow } from './calls.ts'
import { boundTools, type EstimateTools } from './estimate-budget.ts'
import { always, createGuardBook, type Guard } from './guards.ts'
import {
  addSpread,
  addUnits,
  type Estimated,
  type EstimateEnv,
  exactly,
  type Guess,
  known,
  local,
  type Spread,
  unknownValue,
} from './guess.ts'
import { isRequired } from './input-node.ts'
import type { ModelLookup } from './models.ts'
import type { NodeInputs, PortType } from './node-type.ts'
import type { Plan, PlanNode } from './plan.ts'
import { findNodeType } from './table.ts'

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
}

export type EstimateOptions = {
  models: ModelLookup
  called: ReadonlyMap<number, CalledWorkflow>
  tools: EstimateTools
}

const maxAssumptions = 100
/** Beyond this many nodes, a workflow called again counts like the first time. */
const maxVisitedNodes = 5_000
const placeholderTokens: Partial<Record<PortType, number>> = {
  text: 100,
  number: 1,
  boolean: 1,
  image: 60,
  video: 60,
}

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
  const { nodes, total } = await walk(plan, values, env, note)
  return {
    estimatedCost: toCost(total.expected),
    lowCost: toCost(total.low),
    highCost: toCost(total.high),
    currency,
    nodeEstimates: nodes.map(({ node, estimated: { model, calls, cost, exact, units } }) => ({
      nodeId: node.id,
      type: node.typeName,
      model,
      calls,
      estimatedCost: cost && toCost(cost.expected),
      lowCost: cost && toCost(cost.low),
      highCost: cost && toCost(cost.high),
      exact,
      units,
    })),
    assumptions: [...assumptions],
    exact: nodes.every(({ estimated }) => estimated.exact),
  }
}

const toCost = (micros: number) => toAmount(Math.round(micros))

function createEnv(
  { models, called, tools }: EstimateOptions,
  note: (sentence: string) => void,
): EstimateEnv {
  const earlier = new Map<number, Estimated>()
  let visited = 0
  const env: EstimateEnv = {
    models,
    nodeType: findNodeType,
    calls: (workflowId) => called.get(workflowId)?.ports,
    ...boundTools(tools, note),
    async callWorkflow(workflowId, inputs) {
      const target = called.get(workflowId)
      if (!target) return local({})
      const before = earlier.get(workflowId)
      visited += target.plan.nodes.length
      if (before && visited > maxVisitedNodes) {
        note(`Further calls of workflow ${workflowId} count like the first ones.`)
        return { ...before, exact: false }
      }
      const estimated = await estimateCall(target, inputs, env)
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
  const { nodes, total, outputs } = await walk(plan, new Map(Object.entries(inputs)), env, (s) =>
    assumptions.add(`in workflow ${workflowId}, ${s}`),
  )
  return {
    model: null,
    calls: nodes.reduce((sum, { estimated }) => sum + estimated.calls, 0),
    units: nodes.reduce((sum, { estimated }) => addUnits(sum, estimated.units), {}),
    cost: total,
    exact: nodes.every(({ estimated }) => estimated.exact),
    assumptions: [...assumptions],
    outputs,
  }
}

type Visited = { node: PlanNode; estimated: Estimated }
/** A value and when it comes. */
type Coming = { guess: Guess; guard: Guard }

async function walk(
  plan: Plan,
  given: ReadonlyMap<string, Guess>,
  env: EstimateEnv,
  note: (sentence: string) => void,
) {
  const book = createGuardBook()
  const coming: Map<string, Coming>[] = plan.nodes.map(() => new Map())
  const estimates: Estimated[] = plan.nodes.map(() => local({}))
  for (const index of plan.order) {
    const node = plan.nodes[index]
    if (!node || node.type.browserOnly) continue
    const wired = node.wires.flatMap(({ port, source, sourcePort }) => {
      const value = coming[source]?.get(sourcePort)
      return value ? [{ port, source: plan.nodes[source]?.id ?? '', ...value }] : []
    })
    const isMerge = node.ports.inputs.some((port) => port.multi)
    if (isMerge ? wired.length === 0 && node.wires.length > 0 : wired.length < node.wires.length) {
      continue
    }
    const guards = wired.map((value) => value.guard)
    const guard = isMerge && guards.length > 0 ? book.any(guards) : book.all(guards)
    if (book.isImpossible(guard)) continue
    const start: Record<string, Guess> = node.type.inputSchema
      ? { value: startGuess(node, given, note) }
      : {}
    const inputs = inputsOf(node, wired, guard, start)
    const estimated = withGuard(
      await node.type.estimate({ config: node.config, inputs, env }),
      guard,
    )
    for (const sentence of estimated.assumptions) note(`node "${node.id}": ${sentence}`)
    estimates[index] = estimated
    coming[index] = outputsOf(node, estimated, guard, book)
  }
  const nodes: Visited[] = plan.nodes.map((node, i) => ({
    node,
    estimated: estimates[i] ?? local({}),
  }))
  const total = nodes.reduce<Spread>(
    (sum, { estimated: { cost } }) => (cost ? addSpread(sum, cost) : sum),
    exactly(0),
  )
  return { nodes, total, outputs: resultGuesses(plan, coming) }
}

/** Given, or else the default; what a run would have to be given is made up. */
function startGuess(
  { id, config, ports }: PlanNode,
  given: ReadonlyMap<string, Guess>,
  note: (sentence: string) => void,
): Guess {
  const value = given.get(id)
  if (value) return value
  if (!isRequired(config)) return known(config.default ?? null)
  const tokens = placeholderTokens[ports.outputs[0]?.type ?? 'any']
  const guess = unknownValue(tokens === undefined ? {} : { expected: tokens })
  const size = guess.known ? 0 : guess.tokens.expected
  note(`input "${id}" is not given: a placeholder of ${size} tokens stands for it.`)
  return guess
}

function inputsOf(
  { ports, fills }: PlanNode,
  wired: readonly (Coming & { port: string; source: string })[],
  guard: Guard,
  start: Record<string, Guess>,
): NodeInputs<Guess> {
  const multi = new Set(ports.inputs.filter((port) => port.multi).map((port) => port.name))
  const constants = Object.entries(fills).map(([name, value]) => [name, known(value)])
  const single = wired
    .filter(({ port }) => !multi.has(port))
    .map(({ port, guess }) => [port, guess])
  return {
    ports: { ...start, ...Object.fromEntries(constants), ...Object.fromEntries(single) },
    merged: wired
      .filter(({ port }) => multi.has(port))
      // What may stay away leaves open what the merge gives.
      .map(({ source, guess, guard: own }) => ({
        source,
        value: (own & ~guard) === 0n ? guess : unknownValue(),
      })),
  }
}

function withGuard(estimated: Estimated, guard: Guard): Estimated {
  if (guard === always || (estimated.cost !== null && estimated.cost.high === 0)) return estimated
  return {
    ...estimated,
    exact: false,
    cost: estimated.cost && { ...estimated.cost, low: 0 },
    assumptions: [...estimated.assumptions, 'It runs only on one branch of a condition.'],
  }
}

function outputsOf(
  { type, ports }: PlanNode,
  { outputs }: Estimated,
  guard: Guard,
  book: ReturnType<typeof createGuardBook>,
): Map<string, Coming> {
  const given = Object.entries(outputs)
  if (type.branches && given.length > 1) {
    const ways = book.fork()
    return new Map(
      given.map(([name, guess], i) => [name, { guess, guard: guard | (ways[i] ?? always) }]),
    )
  }
  const optional = new Set(ports.outputs.filter((port) => port.optional).map((port) => port.name))
  const chance = !type.branches && optional.size > 0 ? book.chance() : always
  return new Map(
    given.map(([name, guess]) => [
      name,
      { guess, guard: optional.has(name) ? guard | chance : guard },
    ]),
  )
}

function resultGuesses(
  plan: Plan,
  coming: readonly ReadonlyMap<string, Coming>[],
): Record<string, Guess> {
  const guesses: Record<string, Guess> = {}
  for (const { key, node, fields } of plan.results) {
    const found = coming[node]?.get(fields[0]?.name ?? '')
    if (found) guesses[key] = fields.length === 1 ? found.guess : unknownValue()
  }
  return guesses
}
