import type { Issue } from '#core/errors.ts'
import { Type } from '#core/schema.ts'
import { estimatePlan } from '#graph/estimates/estimate.ts'
import { modelLookup } from '#graph/node/model-lookup.ts'
import type { Plan } from '#graph/plan/plan.ts'
import type { CallTable } from '#graph/validation/calls.ts'
import { checkInputs } from '#graph/validation/run-inputs.ts'
import { readAccount } from '#store/tables/accounts.ts'
import { outputHistory } from '#store/tables/run-estimates.ts'
import { Amount, Closed, NamedRecord, Nullable } from '../../schemas.ts'
import type { Context } from '../context.ts'
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
  { reuse }: { reuse?: EstimatedReuse } = {},
) {
  const { db, catalogue, runs } = context.services
  const account = await readAccount(db, context.principal.accountId)
  return estimatePlan(plan, inputs, {
    models: modelLookup(catalogue, account ?? {}),
    called: calls.called,
    tools: toolsOf(context),
    ...(workflowId === null ? {} : { usualItems: usualItems(context, workflowId) }),
    reuse: reuse && runs.reusableAnswers({ spender: context.principal, ...reuse }),
  })
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
