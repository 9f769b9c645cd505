// Walks a plan once without running it. Known values are passed along the wires as they are,
// unknown ones as guesses, and each node estimates its own cost from its inputs.

import { inside } from '../node/estimate-reuse.ts'
import { addSpread, atMost, exactly, known, local, sizeOf, unknownValue } from '../node/guess.ts'
import { isRequired } from '../node/input-node.ts'
import type {
  Estimated,
  EstimateEnv,
  Guess,
  NodeInputs,
  PortType,
  Spread,
} from '../node/node-type.ts'
import { measure } from '../node/values.ts'
import { always, createGuardBook, type Guard } from '../plan/guards.ts'
import type { Plan, PlanNode } from '../plan/plan.ts'

/** Size of the known values of all nodes; values beyond it are treated as unknown. */
const maxKnownBytes = 64 * 1024 * 1024
const placeholderTokens: Partial<Record<PortType, number>> = {
  text: 100,
  number: 1,
  boolean: 1,
  image: 60,
  video: 60,
}

type Visited = { node: PlanNode; estimated: Estimated }
/** A value and the condition under which it is produced. */
type GuardedGuess = { guess: Guess; guard: Guard }

export async function walkPlan(
  plan: Plan,
  given: ReadonlyMap<string, Guess>,
  env: EstimateEnv,
  note: (sentence: string) => void,
  usualItems?: (nodeId: string) => Promise<number | null>,
) {
  const book = createGuardBook()
  let bytesLeft = maxKnownBytes
  const produced: Map<string, GuardedGuess>[] = plan.nodes.map(() => new Map())
  const estimates: Estimated[] = plan.nodes.map(() => local({}))
  for (const index of plan.order) {
    const node = plan.nodes[index]
    if (!node || plan.leftOut?.has(index)) continue
    if (node.type.browserOnly) {
      const made = given.get(node.id)
      if (made) produced[index] = outputsOf(node, givenOutputs(node, made), always, book)
      continue
    }
    const wired = node.wires.flatMap(({ port, source, sourcePort }) => {
      const value = produced[source]?.get(sourcePort)
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
    const inputs = await inputsOf(node, { wired, guard, start, env })
    const history = usualItems && { usualItems: () => usualItems(node.id) }
    const estimated = withGuard(
      await node.type.estimate({
        config: node.config,
        inputs,
        env: within(env, node),
        ...history,
      }),
      guard,
    )
    for (const sentence of estimated.assumptions) note(`node "${node.id}": ${sentence}`)
    estimates[index] = { ...estimated, outputs: {} }
    await env.visit(1)
    for (const guess of Object.values(estimated.outputs)) {
      if (guess.known) bytesLeft -= measure(guess.value, bytesLeft)
    }
    const outputs = bytesLeft > 0 ? estimated.outputs : forgotten(estimated.outputs)
    produced[index] = outputsOf(node, outputs, guard, book)
  }
  const nodes: Visited[] = plan.nodes.map((node, i) => ({
    node,
    estimated: estimates[i] ?? local({}),
  }))
  const total = nodes.reduce<Spread>(
    (sum, { estimated: { cost } }) => (cost ? addSpread(sum, cost) : sum),
    exactly(0),
  )
  return { nodes, total, outputs: resultGuesses(plan, produced) }
}

/** A browser node has one output; the result of a pinned node has its ports as members. */
function givenOutputs({ isPinned }: PlanNode, made: Guess): Record<string, Guess> {
  if (!isPinned || !made.known) return { output: made }
  const members = Object.entries({ ...(made.value as object) })
  return Object.fromEntries(members.map(([port, value]) => [port, { known: true, value }]))
}

const within = (env: EstimateEnv, { id, isFresh }: PlanNode): EstimateEnv =>
  env.reuse ? { ...env, reuse: isFresh ? undefined : inside(env.reuse, { node: id }) } : env

/** The given value, or the default. A required input that is missing becomes a placeholder. */
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
  const size = guess.tokens.expected
  note(`input "${id}" is not given: a placeholder of ${size} tokens is assumed.`)
  return guess
}

type Wired = GuardedGuess & { port: string; source: string }

async function inputsOf(
  { ports, fills }: PlanNode,
  from: { wired: readonly Wired[]; guard: Guard; start: Record<string, Guess>; env: EstimateEnv },
): Promise<NodeInputs<Guess>> {
  const { wired, guard, start, env } = from
  const multi = new Set(ports.inputs.filter((port) => port.multi).map((port) => port.name))
  const constants = Object.entries(fills).map(([name, value]) => [name, known(value)])
  const single = wired
    .filter(({ port }) => !multi.has(port))
    .map(({ port, guess }) => [port, guess])
  const merged = wired
    .filter(({ port }) => multi.has(port))
    // A value that may be missing makes the result of the merge unknown.
    .map(async ({ source, guess, guard: own }) => ({
      source,
      value: (own & ~guard) === 0n ? guess : atMost(await sizeOf(guess, env)),
    }))
  return {
    ports: { ...start, ...Object.fromEntries(constants), ...Object.fromEntries(single) },
    merged: await Promise.all(merged),
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
  outputs: Estimated['outputs'],
  guard: Guard,
  book: ReturnType<typeof createGuardBook>,
): Map<string, GuardedGuess> {
  const given = Object.entries(outputs)
  if (type.branches && given.length > 1) {
    const branches = book.fork()
    return new Map(
      given.map(([name, guess], i) => [name, { guess, guard: guard | (branches[i] ?? always) }]),
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

const forgotten = (outputs: Estimated['outputs']): Estimated['outputs'] =>
  Object.fromEntries(Object.keys(outputs).map((name) => [name, unknownValue()]))

function resultGuesses(
  plan: Plan,
  produced: readonly ReadonlyMap<string, GuardedGuess>[],
): Record<string, Guess> {
  const guesses: Record<string, Guess> = {}
  for (const { key, node, fields } of plan.results) {
    const found = produced[node]?.get(fields[0]?.name ?? '')
    if (found) guesses[key] = fields.length === 1 ? found.guess : unknownValue()
  }
  return guesses
}
