// What flow.repeat costs: as many passes as the values that are known now decide; from the first
// that only a run will produce, at least one and at most all.
import { addReused, perhapsFound } from '../node/estimate-reuse.ts'
import {
  addSpread,
  addUnits,
  atMost,
  exactly,
  known,
  listOf,
  listOfAll,
  sizeOf,
  unknownItems,
} from '../node/guess.ts'
import type { Estimated, EstimateRequest, Guess, Spread } from '../node/node-type.ts'
import type { LoopConfig } from './loop-step.ts'
import { estimateStep, resultOf } from './step-estimate.ts'

type RepeatRequest = EstimateRequest<LoopConfig & { until: string; maxIterations: number }>

/** The passes that surely happen, and whether they are all there are. */
type Passes = { estimates: Estimated[]; values: Guess[]; sure: number }

export async function estimateRepeat(request: RepeatRequest): Promise<Estimated> {
  const passes = await estimatePasses(request)
  const { estimates, values, sure } = passes
  const high = estimates.length
  const usual = sure < high ? ((await request.usualItems?.()) ?? unknownItems) : sure
  const expected = Math.min(Math.max(Math.round(usual), sure), high)
  const isSure = sure === high
  const upTo = (count: number) => estimates.slice(0, count)
  const sentence = `How often it repeats is known only at run time: ${expected} passes are assumed, ${sure} in lowCost and ${high} in highCost.`
  const assumptions = [...new Set(estimates.flatMap((estimate) => estimate.assumptions))]
  return {
    model: estimates[0]?.model ?? null,
    calls: upTo(expected).reduce((sum, { calls }) => sum + calls, 0),
    units: upTo(expected).reduce((sum, { units }) => addUnits(sum, units), {}),
    cost: costOf(estimates, { low: sure, expected, high }),
    exact: isSure && estimates.every(({ exact }) => exact),
    ...addReused(upTo(expected)),
    assumptions: isSure ? assumptions : [...assumptions, sentence],
    outputs: isSure
      ? await surely(values, request)
      : await perhaps(values, { low: sure, expected, high }, request),
  }
}

async function estimatePasses(request: RepeatRequest): Promise<Passes> {
  const { config, inputs, env } = request
  const passes: Passes = { estimates: [], values: [], sure: 0 }
  let value = inputs.ports.value ?? known(null)
  let isKnown = true
  let like: Estimated | undefined
  for (let index = 0; index < config.maxIterations; index++) {
    // Beyond the limit of one estimate, further passes are taken to cost what the last one did.
    const isSeen = (await env.visit(1)) || index === 0
    if (!isSeen) like ??= env.reuse ? await anyPass(request, value) : passes.estimates.at(-1)
    const estimate: Estimated = like
      ? { ...like, exact: false }
      : await estimateStep(request, value)
    const previous = value
    value = isSeen ? resultOf(estimate, request) : await sizeOf(value, env)
    passes.estimates.push(estimate)
    passes.values.push(value)
    if (isKnown) passes.sure++
    if (!isKnown || !value.known || !previous.known) {
      isKnown = false
      continue
    }
    const input = { value: value.value, index, previous: previous.value }
    const answer = await env.evaluate(config.until, input)
    if (answer.known && answer.value === true) break
    isKnown = answer.known && answer.value === false
  }
  return passes
}

/** One that is given what another one made: only a run can tell which of them find their answers. */
async function anyPass(request: RepeatRequest, value: Guess): Promise<Estimated> {
  const { env } = request
  const alike = { ...request, env: { ...env, reuse: perhapsFound(env.reuse) } }
  return estimateStep(alike, resultOf(await estimateStep(alike, value), request))
}

function costOf(estimates: readonly Estimated[], count: Spread): Spread | null {
  let sum = exactly(0)
  for (const [index, { cost }] of estimates.entries()) {
    if (!cost) return null
    sum = addSpread(sum, {
      low: index < count.low ? cost.low : 0,
      expected: index < count.expected ? cost.expected : 0,
      high: cost.high,
    })
  }
  return sum
}

async function surely(values: readonly Guess[], { env }: RepeatRequest) {
  return { value: values.at(-1) ?? known(null), iterations: await listOfAll(values, env) }
}

async function perhaps(
  values: readonly Guess[],
  count: Spread,
  { env }: RepeatRequest,
): Promise<Estimated['outputs']> {
  const size = await sizeOf(values.at(-1) ?? known(null), env)
  return { value: atMost(size), iterations: listOf(size.tokens, count) }
}
