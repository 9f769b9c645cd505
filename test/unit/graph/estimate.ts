// Estimates of graphs, with tools that are easy to count with.
import assert from 'node:assert/strict'
import { estimatePlan } from '#graph/estimates/estimate.ts'
import type { EstimateTools } from '#graph/estimates/estimate-budget.ts'
import type { EstimateReuse } from '#graph/node/reuse-lookup.ts'
import { type Graph, models, validate } from './graphs.ts'

/** One token for each word, and expressions that are just paths. */
export const tools: EstimateTools = {
  countTokens: async (text) => text.split(/\s+/).filter(Boolean).length,
  outputHistory: async () => null,
  evaluate: async (expression, input) => ({
    value: expression === '$' ? input : (input as Record<string, unknown>)?.[expression],
  }),
}

export async function estimate(
  data: Graph,
  inputs: Record<string, unknown> = {},
  change: Partial<EstimateTools> & {
    stored?: Record<number, unknown>
    /** What an earlier run was answered. */
    find?: EstimateReuse['find']
  } = {},
) {
  const { stored = {}, find, ...own } = change
  const { plan, validation, calls } = await validate(data, { stored })
  assert.ok(plan, JSON.stringify(validation.errors))
  const answer = await estimatePlan(plan, inputs, {
    models,
    called: calls.called,
    tools: { ...tools, ...own },
    reuse: find && { path: '', within: undefined, find },
  })
  const of = (id: string) => {
    const found = answer.nodeEstimates.find(({ nodeId }) => nodeId === id)
    assert.ok(found)
    return found
  }
  return { ...answer, of }
}

/** What a vendor adds to the words of one message. */
export const framed = 7
