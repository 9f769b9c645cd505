// The step that flow.map repeats: which port takes the item, which one holds the result, and what
// it costs.

import { fillMistake, fillsOf } from '../node/fills.ts'
import {
  addSpread,
  addUnits,
  exactly,
  known,
  listOf,
  local,
  sizeOf,
  timesSpread,
  unknownItems,
  unknownValue,
} from '../node/guess.ts'
import { inspectConfig } from '../node/inspect-config.ts'
import { NodeFailure } from '../node/node-failure.ts'
import type {
  CallLookup,
  CheckEnv,
  Config,
  ConfigProblem,
  Estimated,
  EstimateEnv,
  Guess,
  NodeExecution,
  NodeType,
  Ports,
  Spread,
} from '../node/node-type.ts'
import { assertBounded, maxValueBytes, measure, tooLarge } from '../node/values.ts'
import type { ItemPlace } from '../node/wait-request.ts'
import { inPlaces } from './item-places.ts'

export type Apply = { type: string; data: Config; itemPort?: string; outputPort?: string }

export const applicable = [
  'text.generate',
  'image.generate',
  'video.generate',
  'text.template',
  'json.transform',
  'http.request',
  'workflow.call',
  'wait.delay',
  'wait.approval',
  'wait.callback',
] as const

export function stepProblems(apply: Apply, env: CheckEnv): ConfigProblem[] {
  const step = env.nodeType(apply.type)
  if (!step) return []
  const problems = inspectConfig(step, apply.data, env).map(({ path, message }) => ({
    path: `/apply/data${path}`,
    message: `apply: ${message}`,
  }))
  const ports = step.ports(apply.data, env.calls)
  return ports ? [...problems, ...portProblems(apply, step, ports)] : problems
}

function portProblems(apply: Apply, step: NodeType, ports: Ports): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const names = ports.inputs.map((port) => port.name)
  const itemPort = apply.itemPort ?? names[0]
  if (itemPort === undefined || !names.includes(itemPort)) {
    const choice = names.length ? `set it to one of ${names.join(', ')}` : 'the step has no input'
    problems.push({ path: '/apply/itemPort', message: `apply.itemPort: ${choice}` })
  }
  const outputs = ports.outputs.map((port) => port.name)
  if (apply.outputPort !== undefined && !outputs.includes(apply.outputPort)) {
    const message = `apply.outputPort: set it to one of ${outputs.join(', ')}`
    problems.push({ path: '/apply/outputPort', message })
  }
  const fills = fillsOf(step, apply.data, ports)
  for (const port of ports.inputs) {
    const { name, required } = port
    if (name === itemPort) continue
    const mistake = fillMistake(port, fills)
    if (mistake) {
      problems.push({ path: `/apply/data/${name}`, message: `apply.data.${name} ${mistake}` })
    } else if (required && !(name in fills)) {
      const message = `apply.data must provide a value for the port "${name}"`
      problems.push({ path: `/apply/data/${name}`, message })
    }
  }
  return problems
}

/**
 * The inputs of the step for an item: the item, and constants for the other ports. Which ports there
 * are is found once for all items, because it may take a walk over a long template.
 */
function stepInputs(step: NodeType, apply: Apply, calls: CallLookup): (item: unknown) => Config {
  const ports = step.ports(apply.data, calls) ?? { inputs: [], outputs: [] }
  const itemPort = apply.itemPort ?? ports.inputs[0]?.name ?? 'item'
  const fills = fillsOf(step, apply.data, ports)
  return (item) => ({ ...fills, [itemPort]: item })
}

const outputPort = (step: NodeType, apply: Apply, calls: CallLookup): string =>
  apply.outputPort ?? step.ports(apply.data, calls)?.outputs[0]?.name ?? 'output'

/** Results in the order of the items; null for an item that had no result. */
export async function mapItems(
  context: NodeExecution,
  items: unknown,
  apply: Apply,
  { concurrency, maxItems }: { concurrency: number; maxItems: number },
): Promise<unknown[]> {
  const step = context.nodeType(apply.type)
  if (!Array.isArray(items)) throw new NodeFailure('TYPE_MISMATCH', 'items must be a list.')
  if (items.length > maxItems) {
    const message = `The list has ${items.length} items; at most ${maxItems} are allowed.`
    throw new NodeFailure('ITEM_LIMIT', message)
  }
  const execute = step?.execute
  if (!step || !execute) throw new NodeFailure('INTERNAL_ERROR', 'The step cannot run here.')
  const port = outputPort(step, apply, context.calls)
  const inputsOf = stepInputs(step, apply, context.calls)
  const results: unknown[] = new Array(items.length).fill(null)
  let size = 0
  let isCutShort = false
  const executeItem = async (index: number, place: ItemPlace) => {
    if (isCutShort) return
    const ports = inputsOf(items[index])
    const outputs = await context.forItem({ index, ports, place }, (item) =>
      execute(item, { ports, merged: [] }, apply.data),
    )
    if (!outputs) {
      isCutShort = true
      return
    }
    results[index] = outputs[port] ?? null
    // Checked for each item, because all results are held until the last one.
    size += measure(results[index], maxValueBytes)
    if (size > maxValueBytes) throw tooLarge()
    await context.hold(results[index])
  }
  try {
    // Rejects with the first failure at once; items in flight are awaited by the run.
    await inPlaces(concurrency, items.length, executeItem)
  } finally {
    // From here on they count as the value of the node.
    context.dropHeld()
  }
  if (isCutShort) context.throwIfEnding()
  assertBounded(results)
  return results
}

export async function estimateStep(
  apply: Apply,
  item: Guess,
  env: EstimateEnv,
): Promise<Estimated> {
  const step = env.nodeType(apply.type)
  if (!step) return local({})
  const given = stepInputs(step, apply, env.calls)(item)
  const ports = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, value === item ? item : known(value)]),
  )
  return step.estimate({ config: apply.data, inputs: { ports, merged: [] }, env })
}

/** One estimate per item of a known list. */
export async function estimateEach(
  items: readonly unknown[],
  apply: Apply,
  env: EstimateEnv,
): Promise<Estimated> {
  const estimates: Estimated[] = []
  for (const item of items) estimates.push(await estimateStep(apply, known(item), env))
  return sumUp(estimates, { apply, env })
}

/** One estimate for all items of a known list. */
export async function likeTheFirst(
  first: Estimated,
  count: number,
  { apply, env }: Mapped,
): Promise<Estimated> {
  const list = { ...unknownValue(), items: exactly(count) }
  const all = await estimateUnknown(first, list, { apply, env, maxItems: count })
  return {
    ...all,
    exact: false,
    assumptions: [
      ...all.assumptions,
      'All items of the list are assumed to cost the same as the first.',
    ],
  }
}

type Mapped = { apply: Apply; env: EstimateEnv }

/** The result of one item. */
function resultOf({ outputs }: Estimated, { apply, env }: Mapped): Guess {
  const step = env.nodeType(apply.type)
  return outputs[step ? outputPort(step, apply, env.calls) : 'output'] ?? known(null)
}

async function sumUp(estimates: readonly Estimated[], mapped: Mapped): Promise<Estimated> {
  const results = estimates.map((estimate) => resultOf(estimate, mapped))
  const allKnown = results.every((result) => result.known)
  return {
    model: estimates[0]?.model ?? null,
    calls: estimates.reduce((sum, estimate) => sum + estimate.calls, 0),
    units: estimates.reduce((sum, estimate) => addUnits(sum, estimate.units), {}),
    cost: estimates.reduce<Spread | null>(
      (sum, { cost }) => (sum && cost ? addSpread(sum, cost) : null),
      exactly(0),
    ),
    exact: estimates.every((estimate) => estimate.exact),
    assumptions: [...new Set(estimates.flatMap((estimate) => estimate.assumptions))],
    outputs: {
      results: allKnown
        ? known(results.map((result) => (result.known ? result.value : null)))
        : await resultList(results, mapped.env),
    },
  }
}

/** One estimate, multiplied by the number of items there may be. */
export async function estimateUnknown(
  step: Estimated,
  items: Guess,
  { maxItems, ...mapped }: Mapped & { maxItems: number },
): Promise<Estimated> {
  const guessed = items.known ? exactly(unknownItems) : items.items
  const bound = (count: number) => Math.min(count, maxItems)
  const count = {
    low: bound(guessed.low),
    expected: bound(guessed.expected),
    high: items.known ? maxItems : bound(guessed.high),
  }
  const isSure = count.low === count.high
  const sentence = `The list is known only at run time: ${count.expected} items are assumed, ${count.low} in lowCost and ${count.high} in highCost.`
  return {
    ...step,
    calls: step.calls * count.expected,
    units: addUnits({}, step.units, count.expected),
    cost: step.cost && timesSpread(step.cost, count),
    exact: step.exact && isSure,
    assumptions: isSure ? step.assumptions : [...step.assumptions, sentence],
    outputs: { results: listOf((await sizeOf(resultOf(step, mapped), mapped.env)).tokens, count) },
  }
}

async function resultList(results: readonly Guess[], env: EstimateEnv): Promise<Guess> {
  const sizes = await Promise.all(results.map((result) => sizeOf(result, env)))
  const each = sizes.map(({ tokens }) => listOf(tokens, exactly(1)).tokens)
  const tokens = each.reduce(addSpread, exactly(0))
  return { known: false, tokens, items: exactly(results.length) }
}
