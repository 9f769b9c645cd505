// Random workflows that are estimated and then run with a double. It answers with any length up to
// maxTokens and counts tokens with another tokenizer than the estimate, plus the framing of a chat.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { encode } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import type { Model } from '#core/catalogue.ts'
import { currency, toAmount, toMicros } from '#core/money.ts'
import { highestPrice, type PricedUnits, priceOf } from '#core/pricing.ts'
import { boundsOf } from '#engine/calls/call-bounds.ts'
import { mostMicros } from '#engine/tasks/task-work.ts'
import { type Estimate, estimatePlan } from '#graph/estimates/estimate.ts'
import type { ModelFacts } from '#graph/node/models.ts'
import type { NodeExecution } from '#graph/node/node-type.ts'
import { toText } from '#graph/node/values.ts'
import type { CalledWorkflow } from '#graph/validation/calls.ts'
import { type Graph, node, validate, wire } from './graphs.ts'
import { media, runPlan } from './run-plan.ts'

type Facts = ModelFacts & Model

const model = (
  id: string,
  provider: string,
  kind: ModelFacts['kind'],
  pricing: Model['pricing'],
): Facts => ({
  ...{ id, provider, kind, pricing, name: id, description: '', enabled: true },
  availability: 'available',
  capabilities: { inputModalities: ['text'] },
})

const catalogue = new Map(
  [
    model('plain', 'openai', 'TEXT', {
      ...{ currency, inputPerMillionTokens: 2, outputPerMillionTokens: 10 },
    }),
    model('cached', 'anthropic', 'TEXT', {
      ...{ currency, inputPerMillionTokens: 3, cachedInputPerMillionTokens: 0.3 },
      ...{ cacheWritePerMillionTokens: 3.75, outputPerMillionTokens: 15 },
      longContext: [
        { aboveInputTokens: 2_000, inputPerMillionTokens: 6, outputPerMillionTokens: 22 },
      ],
    }),
    model('picture', 'fal', 'IMAGE', { currency, perImage: 0.04 }),
    model('drawn', 'openai', 'IMAGE', {
      ...{
        currency,
        inputPerMillionTokens: 5,
        inputImagePerMillionTokens: 8,
        outputPerMillionTokens: 30,
      },
    }),
  ].map((facts) => [facts.id, facts]),
)
const dearer = model('dearer', 'openai', 'TEXT', {
  ...{ currency, inputPerMillionTokens: 9, outputPerMillionTokens: 40 },
})
/** The models that may answer in place of another. */
const fallbacks: Record<string, Facts[]> = { plain: [dearer] }
for (const [id, facts] of catalogue) {
  catalogue.set(id, { ...facts, fallbacks: fallbacks[id] ?? [] })
}
const models = (id: string) => catalogue.get(id)

type Workflow = { graph: Graph; inputs: Record<string, unknown>; meanOutputTokens: number }

type Draft = { graph: Graph; open: string[]; lists: string[] }
type Step = (draft: Draft, id: string, pick: (from: readonly string[]) => string, n: number) => void

const textSettings = (n: number) => ({
  model: n % 2 === 0 ? 'plain' : 'cached',
  maxTokens: [1, 7, 40, 200, 900][n % 5],
})

const steps: Step[] = [
  ({ graph, open }, id, pick, n) => {
    const template = ['On {{a}}, {{a}} and {{b}}.', 'Tell {{b}} of {{a}}', '{{a}}{{b}}'][n % 3]
    graph.nodes.push(node(id, 'text.template', { template }))
    graph.connections.push(wire(pick(open), `${id}.a`), wire(pick(open), `${id}.b`))
    open.push(id)
  },
  ({ graph, open, lists }, id, pick, n) => {
    const isJson = n % 3 === 0
    const form = { responseFormat: isJson ? 'json' : 'text' }
    graph.nodes.push(node(id, 'text.generate', { ...textSettings(n), ...form }))
    graph.connections.push(wire(pick(open), `${id}.prompt`))
    if (n % 4 === 0) graph.connections.push(wire(pick(open), `${id}.system`))
    open.push(`${id}.text`)
    if (isJson) lists.push(`${id}.json`)
  },
  ({ graph, open }, id, pick, n) => {
    graph.nodes.push(node(id, 'image.generate', { model: n % 2 === 0 ? 'picture' : 'drawn' }))
    graph.connections.push(wire(pick(open), `${id}.prompt`))
    open.push(`${id}.image`)
  },
  ({ graph, open, lists }, id, pick, n) => {
    const apply = [
      { type: 'text.generate', data: textSettings(n) },
      { type: 'text.template', data: { template: 'Item {{item}}: {{item}}' } },
      { type: 'workflow.call', data: { workflowId: 9 } },
    ][n % 3]
    graph.nodes.push(node(id, 'flow.map', { apply, maxItems: 30 }))
    graph.connections.push(wire(pick(lists), `${id}.items`))
    open.push(id)
    lists.push(id)
  },
  ({ graph, open }, id, pick) => {
    graph.nodes.push(node(id, 'flow.condition', { expression: 'isLong' }))
    graph.connections.push(wire(pick(open), id))
    open.push(`${id}.true`, `${id}.false`)
  },
  ({ graph, open, lists }, id, pick, n) => {
    const mode = ['first', 'list', 'object'][n % 3]
    graph.nodes.push(node(id, 'flow.merge', { mode }))
    for (const from of new Set([pick(open), pick(open), pick(open)]))
      graph.connections.push(wire(from, id))
    ;(mode === 'list' ? lists : open).push(id)
  },
  ({ graph, open, lists }, id, pick, n) => {
    const expression = ['whole', 'half', 'twice'][n % 3]
    const outputType = expression === 'twice' ? 'list' : 'json'
    graph.nodes.push(node(id, 'json.transform', { expression, outputType }))
    graph.connections.push(wire(pick(open), id))
    ;(outputType === 'list' ? lists : open).push(id)
  },
  ({ graph, open }, id, pick) => {
    graph.nodes.push(node(id, 'workflow.call', { workflowId: 9 }))
    graph.connections.push(wire(pick(open), `${id}.topic`))
    open.push(`${id}.answer`)
  },
]

/** `input.topic` is asked about, and answered. */
const called: Graph = {
  nodes: [
    node('topic', 'input.text'),
    node('ask', 'text.generate', { model: 'cached', maxTokens: 60 }),
    node('answer', 'output'),
  ],
  connections: [wire('topic', 'ask.prompt'), wire('ask', 'answer')],
}

const evaluate = (expression: string, input: unknown): unknown => {
  const text = toText(input)
  if (expression === 'isLong') return text.length > 120
  if (expression === 'half') return text.slice(text.length / 2)
  return expression === 'twice' ? [input, input] : input
}

const words = fc.lorem({ maxCount: 120 })
const anyWorkflow: fc.Arbitrary<Workflow> = fc
  .record({
    texts: fc.array(fc.oneof(words, words, fc.string({ unit: 'grapheme', maxLength: 200 })), {
      ...{ minLength: 2, maxLength: 2 },
    }),
    list: fc.array(words, { maxLength: 6 }),
    choices: fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 9 }),
    meanOutputTokens: fc.integer({ min: 1, max: 3_000 }),
  })
  .map(({ texts, list, choices, meanOutputTokens }) => {
    const draft: Draft = {
      graph: {
        nodes: [node('t0', 'input.text'), node('t1', 'input.text'), node('l', 'input.json')],
        connections: [],
      },
      open: ['t0', 't1'],
      lists: ['l'],
    }
    choices.forEach((n, i) => {
      let turn = n
      const pick = (from: readonly string[]) => {
        turn = Math.floor(turn / 3) + 7
        return from[turn % from.length] ?? ''
      }
      steps[n % steps.length]?.(draft, `n${i}`, pick, Math.floor(n / 11))
    })
    const inputs = { t0: `${texts[0]} `, t1: `${texts[1]} `, l: list }
    return { graph: draft.graph, inputs, meanOutputTokens }
  })

type Outcome = {
  estimate: Estimate
  /** Undefined if the run failed, as some do, for example on an empty prompt. */
  cost?: number
  /** With a maxCost of highCost, every call was let through. */
  wasNeverRefused?: boolean
}

type Tally = { runs: number; failed: number; within: number; neverRefused: number }

/** Throws if an estimate is not in order; counts how often a run kept to its estimate. */
export async function tallyOf(seed: number, workflows: number): Promise<Tally> {
  const tally: Tally = { runs: 0, failed: 0, within: 0, neverRefused: 0 }
  const random = numbersFrom(seed)
  for (const workflow of fc.sample(anyWorkflow, { seed, numRuns: workflows })) {
    const outcome = await estimateAndRun(workflow, random)
    if (!outcome) continue
    const { estimate, cost, wasNeverRefused } = outcome
    for (const one of [estimate, ...estimate.nodeEstimates]) assertOrder(one, workflow)
    if (cost === undefined) {
      tally.failed++
      continue
    }
    tally.runs++
    if (wasNeverRefused) tally.neverRefused++
    if (estimate.exact) assert.equal(cost, estimate.estimatedCost, JSON.stringify(workflow))
    if (cost >= estimate.lowCost && cost <= estimate.highCost) tally.within++
  }
  return tally
}

type Range = Record<'lowCost' | 'estimatedCost' | 'highCost', number | null>

function assertOrder({ lowCost, estimatedCost, highCost }: Range, workflow: Workflow): void {
  if (lowCost === null || estimatedCost === null || highCost === null) return
  const isInOrder = lowCost <= estimatedCost && estimatedCost <= highCost
  const range = `${lowCost} ${estimatedCost} ${highCost}`
  assert.ok(isInOrder, `${range} for ${JSON.stringify(workflow)}`)
}

/** A small generator, so that a seed repeats the answers too (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** `random`: 0 ≤ x < 1. */
async function estimateAndRun(
  { graph, inputs, meanOutputTokens }: Workflow,
  random: () => number,
): Promise<Outcome | null> {
  const { plan, calls } = await validate(graph, { models, stored: { 9: called } })
  if (!plan) return null
  const calls20 = random() < 0.5 ? 20 : 0
  const estimate = await estimatePlan(plan, inputs, {
    models,
    called: calls.called,
    tools: {
      countTokens: async (text) => countTokens(text),
      outputHistory: async () => (calls20 ? { calls: calls20, meanOutputTokens } : null),
      evaluate: async (expression, input) => ({ value: evaluate(expression, input) }),
    },
  })
  const till = { spentMicros: 0, limitMicros: toMicros(estimate.highCost), wasNeverRefused: true }
  try {
    await runPlan(plan, inputs, servicesOf(calls.called, till, random))
  } catch {
    return { estimate }
  }
  return { estimate, cost: toAmount(till.spentMicros), wasNeverRefused: till.wasNeverRefused }
}

type Till = { spentMicros: number; limitMicros: number; wasNeverRefused: boolean }

function servicesOf(
  called: ReadonlyMap<number, CalledWorkflow>,
  till: Till,
  random: () => number,
): Partial<NodeExecution> {
  const factsOf = (id: string): Facts => {
    const facts = models(id)
    if (!facts) throw new Error(`no model ${id}`)
    return facts
  }
  const pay = (facts: Facts, used: PricedUnits, neededMicros: number | null) => {
    const costMicros = priceOf(facts.pricing, used) ?? Number.NaN
    if (till.spentMicros + (neededMicros ?? 0) > till.limitMicros) till.wasNeverRefused = false
    till.spentMicros += costMicros
  }
  const services: Partial<NodeExecution> = {
    async generateText({ model: id, prompt, system, maxTokens = 50, responseFormat }) {
      const facts = factsOf(id)
      const text = answerOf(Math.ceil(random() * maxTokens), responseFormat === 'json')
      const asked = encode(prompt).length + encode(system ?? '').length + (system ? 11 : 7)
      const inputTokens = facts.provider === 'openai' ? asked : Math.ceil(asked * 1.3)
      const cached = inputTokens >= 1_024 && random() < 0.3 ? inputTokens - 7 : 0
      const outputTokens = Math.min(maxTokens, encode(text).length)
      const call = { systemPrompt: system, maxTokens, responseFormat }
      const needed = [facts, ...(fallbacks[id] ?? [])].map((candidate) => {
        const asked = { model: candidate, isLimited: true }
        const { most } = boundsOf(call, [{ role: 'user', content: prompt }], asked)
        return highestPrice(candidate.pricing, most) ?? 0
      })
      const used = { inputTokens, outputTokens, cachedInputTokens: cached }
      pay(facts, used, Math.max(...needed))
      return { text, finish: 'stop' }
    },
    async createMediaTask({ kind, model: id, prompt, image }) {
      const facts = factsOf(id)
      const made = 200 + Math.floor(random() * 8_000)
      const used = facts.pricing?.perImage
        ? { images: 1 }
        : { inputTokens: encode(prompt).length, outputTokens: made, outputImageTokens: made }
      pay(facts, used, mostMicros(kind, { prompt, image }, facts))
      return [media('https://example.com/a.png')]
    },
    evaluateExpression: async (expression, input) => evaluate(expression, input),
    callWorkflow: async (id, ports) => {
      const target = called.get(id)
      return target ? runPlan(target.plan, ports, services) : {}
    },
    forItem: async (_item, execute) => execute(services as NodeExecution),
    passedBefore: () => undefined,
    notePassed: () => {},
    noteItems: () => {},
    hold: () => undefined,
    dropHeld: () => {},
    calls: (id) => called.get(id)?.ports,
  }
  return services
}

const vocabulary = 'a winter morning, lighthouse keepers walk slowly along the harbour wall'.split(
  ' ',
)

/** About this many tokens of prose, or of a JSON list that was not cut off. */
function answerOf(tokens: number, isJson: boolean): string {
  const prose = Array.from({ length: tokens }, (_, i) => vocabulary[i % vocabulary.length])
  if (isJson) return JSON.stringify(prose.slice(0, Math.floor(tokens / 4)))
  return prose.slice(0, Math.max(1, Math.floor(tokens * 0.7))).join(' ')
}
