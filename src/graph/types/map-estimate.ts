// What flow.map costs: the step once for each item of a known list, or as often as a list that is
// only known at run time may have items.
import { addReused, perhapsFound } from '../node/estimate-reuse.ts'
import {
  addSpread,
  addUnits,
  atMost,
  doubtful,
  exactly,
  known,
  listOf,
  listOfAll,
  sizeOf,
  timesSpread,
  unknownItems,
  unknownValue,
} from '../node/guess.ts'
import type { Estimated, EstimateRequest, Guess, Spread } from '../node/node-type.ts'
import type { LoopConfig } from './loop-step.ts'
import type { OnItemError } from './map-items.ts'
import { estimateStep, resultOf } from './step-estimate.ts'

type MapRequest = EstimateRequest<LoopConfig & { maxItems: number }> & { onItemError: OnItemError }

export async function estimateMap(request: MapRequest): Promise<Estimated> {
  const estimated = await estimateResults(request)
  return request.onItemError === 'fail' ? estimated : mayLackItems(estimated, request)
}

/** An item that fails costs nothing at least, and the run completes without its result. */
function mayLackItems(estimated: Estimated, { onItemError }: MapRequest): Estimated {
  const { cost, outputs } = estimated
  const { results = known([]) } = outputs
  const ports = { results: withGaps(results, onItemError), errors: someErrors(estimated) }
  if (cost === null || cost.high === 0) return { ...estimated, outputs: ports }
  return {
    ...estimated,
    exact: false,
    cost: { ...cost, low: 0 },
    assumptions: [...estimated.assumptions, 'Items may fail: they count as 0 in lowCost.'],
    outputs: ports,
  }
}

async function estimateResults(request: MapRequest): Promise<Estimated> {
  const { config, inputs, env } = request
  const { maxItems } = config
  const items = inputs.ports.items ?? known([])
  const alike = { ...request, env: { ...env, reuse: perhapsFound(env.reuse) } }
  if (!items.known || !Array.isArray(items.value)) {
    const step = await estimateStep(alike, anItemOf(items))
    return estimateUnknown(request, step, await lengthOf(items, request))
  }
  const list = items.value.slice(0, maxItems)
  const isOver = items.value.length > maxItems
  const estimated = (await env.visit(list.length))
    ? await estimateEach(list, request)
    : await likeTheFirst(await estimateStep(alike, known(list[0])), list.length, request)
  const sentence = `The list has more than ${maxItems} items: a run would fail here.`
  return isOver ? doubtful(estimated, sentence) : estimated
}

/** An item of an unknown list is at most as long as all of it, and usually its share. */
function anItemOf(list: Guess): Guess {
  if (list.known) return unknownValue()
  const { tokens, items } = list
  const expected = Math.ceil(tokens.expected / Math.max(1, items.expected))
  return unknownValue({ low: 0, expected, high: tokens.high })
}

/** Earlier runs of the workflow say more about a list than a general guess. */
async function lengthOf(list: Guess, { config, usualItems }: MapRequest): Promise<Spread> {
  const guessed = list.known ? exactly(unknownItems) : list.items
  const bound = (count: number) => Math.min(count, config.maxItems)
  const low = bound(guessed.low)
  const high = list.known ? config.maxItems : bound(guessed.high)
  const usual = low < high ? ((await usualItems?.()) ?? null) : null
  const expected = Math.min(Math.max(Math.round(usual ?? guessed.expected), low), high)
  return { low, expected, high }
}

/** One estimate per item of a known list. */
async function estimateEach(items: readonly unknown[], request: MapRequest): Promise<Estimated> {
  const estimates: Estimated[] = []
  for (const item of items) estimates.push(await estimateStep(request, known(item)))
  return sumUp(estimates, request)
}

/** One estimate for all items of a known list. */
async function likeTheFirst(
  first: Estimated,
  count: number,
  request: MapRequest,
): Promise<Estimated> {
  const all = await estimateUnknown(request, first, exactly(count))
  return {
    ...all,
    exact: false,
    assumptions: [
      ...all.assumptions,
      'All items of the list are assumed to cost the same as the first.',
    ],
  }
}

async function sumUp(estimates: readonly Estimated[], request: MapRequest): Promise<Estimated> {
  const results = estimates.map((estimate) => resultOf(estimate, request))
  return {
    model: estimates[0]?.model ?? null,
    calls: estimates.reduce((sum, estimate) => sum + estimate.calls, 0),
    units: estimates.reduce((sum, estimate) => addUnits(sum, estimate.units), {}),
    cost: estimates.reduce<Spread | null>(
      (sum, { cost }) => (sum && cost ? addSpread(sum, cost) : null),
      exactly(0),
    ),
    exact: estimates.every((estimate) => estimate.exact),
    ...addReused(estimates),
    assumptions: [...new Set(estimates.flatMap((estimate) => estimate.assumptions))],
    outputs: { results: await listOfAll(results, request.env) },
  }
}

/** One estimate, multiplied by the number of items there may be. */
async function estimateUnknown(
  request: MapRequest,
  step: Estimated,
  count: Spread,
): Promise<Estimated> {
  const isSure = count.low === count.high
  const sentence = `The list is known only at run time: ${count.expected} items are assumed, ${count.low} in lowCost and ${count.high} in highCost.`
  const { tokens } = await sizeOf(resultOf(step, request), request.env)
  return {
    ...step,
    calls: step.calls * count.expected,
    units: addUnits({}, step.units, count.expected),
    cost: step.cost && timesSpread(step.cost, count),
    exact: step.exact && isSure,
    assumptions: isSure ? step.assumptions : [...step.assumptions, sentence],
    outputs: { results: listOf(tokens, count) },
  }
}

/** With `collect`, null takes the place of an item: the list is as long as before. */
function withGaps(results: Guess, onItemError: OnItemError): Guess {
  if (results.known) return results
  const fewer = atMost(results)
  return onItemError === 'skip' ? fewer : { ...fewer, items: results.items }
}

/** Usually none fails; at most all do. */
function someErrors({ outputs: { results } }: Estimated): Guess {
  const most = results?.known
    ? (results.value as unknown[]).length
    : (results?.items.high ?? unknownItems)
  const count = { low: 0, expected: 0, high: most }
  return listOf({ low: 0, expected: 40, high: 200 }, count)
}
