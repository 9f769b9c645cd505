import type { Pricing } from '#core/catalogue.ts'
import { flexByMs, sendByMs } from '#core/economy.ts'
import type { Issue } from '#core/errors.ts'
import { Type } from '#core/schema.ts'
import { estimatePlan } from '#graph/estimates/estimate.ts'
import { modelLookup } from '#graph/node/model-lookup.ts'
import type { ModelLookup } from '#graph/node/models.ts'
import type { Plan } from '#graph/plan/plan.ts'
import type { CallTable } from '#graph/validation/calls.ts'
import { checkInputs } from '#graph/validation/run-inputs.ts'
import { readAccount } from '#store/tables/accounts.ts'
import { outputHistory } from '#store/tables/run-estimates.ts'
import { Amount, Closed, NamedRecord, Nullable } from '../../schemas.ts'
import type { Context } from '../context.ts'
import { asRunOf, sentTag } from '../runs/run-tag.ts'
import { usualItems } from './usual-items.ts'

const historyDays = 90
const dayMs = 86_400_000

const NodeEstimate = Closed({
  nodeId: Type.String(),
  type: Type.String(),
  model: Nullable(Type.String()),
  calls: Type.Number({ minimum: 0, description: 'Number of calls in the estimate.' }),
  estimatedCost: Nullable(Amount),
  lowCost: Nullable(Amount),
  highCost: Nullable(Amount),
  exact: Type.Boolean(),
  units: Type.Record(Type.String(), Type.Number()),
})

const EconomyEstimate = NamedRecord('EconomyEstimate', {
  estimatedCost: Amount,
  lowCost: Amount,
  highCost: Amount,
  normalNodes: Type.Array(Type.String(), {
    description: 'Nodes that call models at the normal price.',
  }),
})

/** What a run of a graph would cost. */
export const GraphEstimate = NamedRecord('GraphEstimate', {
  estimatedCost: Amount,
  lowCost: Amount,
  highCost: Amount,
  currency: Type.String(),
  nodeEstimates: Type.Array(NodeEstimate),
  assumptions: Type.Array(Type.String()),
  exact: Type.Boolean({ description: 'False if the cost is uncertain; see assumptions.' }),
  reusableNodes: Type.Optional(
    Type.Array(Type.String(), {
      description: 'With reuse: nodes whose answers would all be taken over from earlier runs.',
    }),
  ),
  savedCost: Type.Optional(Amount),
  economy: Type.Optional(EconomyEstimate),
})

/** The problems of the given inputs. Missing inputs are allowed. */
export async function inputIssues(
  { services, principal }: Context,
  plan: Plan,
  inputs: Record<string, unknown>,
): Promise<Issue[]> {
  const issues = await checkInputs(plan, inputs, {
    checkSchemas: (checks) => services.graphs.checkSchemas(principal.accountId, checks),
    missing: 'allowed',
  })
  return issues.map((issue) => ({ ...issue, path: `/inputs${issue.path}` }))
}

export async function estimateGraph(
  context: Context,
  { plan, calls, workflowId }: { plan: Plan; calls: CallTable; workflowId: number | null },
  inputs: Record<string, unknown>,
  { reuse, deadlineMs }: { reuse?: EstimatedReuse; deadlineMs?: number | undefined } = {},
) {
  const { db, catalogue, runs } = context.services
  const account = await readAccount(db, context.principal.accountId)
  const models = modelLookup(catalogue, account ?? {})
  // Whether a budget applies decides what is asked for.
  const tag = sentTag(context.principal, undefined)
  const { principal: spender } = workflowId === null ? context : asRunOf(context, workflowId, tag)
  const estimate = (lookup: ModelLookup) =>
    estimatePlan(plan, inputs, {
      models: lookup,
      called: calls.called,
      tools: toolsOf(context),
      ...(workflowId === null ? {} : { usualItems: usualItems(context, workflowId) }),
      reuse: reuse && runs.reusableAnswers({ spender, ...reuse }),
    })
  const normal = await estimate(models)
  if (deadlineMs === undefined) return normal
  const cheapest = laterPrices(context, deadlineMs)
  const { estimatedCost, lowCost } = await estimate(pricedBy(models, cheapest))
  const normalNodes = normal.nodeEstimates
    .filter(({ model, calls }) => model !== null && calls > 0 && !cheapest(model))
    .map(({ nodeId }) => nodeId)
  // All that a vendor returns unprocessed is made at the normal price.
  const economy = { estimatedCost, lowCost, highCost: normal.highCost, normalNodes }
  return { ...normal, economy, assumptions: [...normal.assumptions, windowSentence] }
}

const windowSentence =
  'economy: each text call may take as long as a batch. Calls that follow it and no longer fit before deadlineAt cost the normal price, unless their model has a flex tier, as do calls that a vendor returns unprocessed.'

/** What a model costs in batches, if there is time for one, or else in the flex tier. */
function laterPrices({ services: { clock, runs, catalogue } }: Context, deadlineMs: number) {
  const { times, gatherMs } = runs.economy
  const nowMs = clock.nowMs()
  const mayBatch = nowMs + gatherMs <= sendByMs(deadlineMs, times)
  const mayFlex = nowMs < flexByMs(deadlineMs, times)
  return (id: string): Pricing | undefined => {
    const { batchPricing, flexPricing } = catalogue.known(id) ?? {}
    return (mayBatch ? batchPricing : undefined) ?? (mayFlex ? flexPricing : undefined)
  }
}

/** No other model answers in place of one that takes batches or has a flex tier. */
const pricedBy =
  (models: ModelLookup, cheapest: (id: string) => Pricing | undefined): ModelLookup =>
  (id) => {
    const model = models(id)
    const pricing = cheapest(id)
    return model && pricing ? { ...model, pricing, fallbacks: [] } : model
  }

/** The run would reuse answers; a limit of its cost is a part of its requests. */
type EstimatedReuse = { isCostLimited: boolean }

function toolsOf({ services: { db, clock, graphs }, principal: { accountId } }: Context) {
  const nowMs = clock.nowMs()
  const fromDay = new Date(nowMs - historyDays * dayMs).toISOString().slice(0, 10)
  return {
    countTokens: graphs.countTokens,
    evaluate: (expression: string, input: unknown) =>
      graphs.evaluate({ owner: accountId, expression, input, nowMs, seed: 'estimate' }),
    async outputHistory(model: string) {
      const { calls, outputTokens } = await outputHistory(db, { accountId, model, fromDay })
      return calls === 0 ? null : { calls, meanOutputTokens: outputTokens / calls }
    },
  }
}
