import { Type } from 'typebox'
import { invalid } from '#core/errors.ts'
import { estimatePlan } from '#nodes/estimate.ts'
import { checkInputs } from '#nodes/run-inputs.ts'
import { answer } from '#operations/operation.ts'
import { RunInput } from '#operations/runs/run-record.ts'
import { Amount, Closed, Nullable, WorkflowId } from '#operations/schemas.ts'
import { outputHistory } from '#store/output-history.ts'
import { requireValid, requireWorkflow } from './examine-graph.ts'
import { UnsupportedNodes } from './graph-answers.ts'
import { defineOperation, type GraphContext } from './graph-context.ts'
import { modelLookup } from './model-lookup.ts'

const historyDays = 90
const dayMs = 86_400_000

const NodeEstimate = Closed({
  nodeId: Type.String(),
  type: Type.String(),
  model: Nullable(Type.String()),
  calls: Type.Number({ minimum: 0, description: 'Calls the estimate counts.' }),
  estimatedCost: Nullable(Amount),
  lowCost: Nullable(Amount),
  highCost: Nullable(Amount),
  exact: Type.Boolean(),
  units: Type.Record(Type.String(), Type.Number()),
})

const Estimate = Closed({
  workflowId: WorkflowId,
  estimatedCost: Amount,
  lowCost: Amount,
  highCost: Amount,
  currency: Type.String(),
  nodeEstimates: Type.Array(NodeEstimate),
  assumptions: Type.Array(Type.String()),
  exact: Type.Boolean({ description: 'False: the cost is uncertain, for the reasons assumed.' }),
  unsupportedNodes: UnsupportedNodes,
})

export const estimateWorkflow = defineOperation({
  id: 'estimateWorkflow',
  route: 'POST /workflows/{workflowId}/estimate',
  summary: 'Estimate what a run would cost',
  description:
    'No provider is called. The estimate is not the final charge: that depends on actual usage.',
  scope: 'workflows:read',
  params: Closed({ workflowId: WorkflowId }),
  bodyLimitBytes: 2 * 1024 * 1024,
  bodyOptional: true,
  bodyFailure: 'INPUT_INVALID',
  body: RunInput,
  tool: {
    name: 'svc_estimate_workflow',
    description:
      'Estimate what a run would cost, without calling providers. exact=false means the estimate is uncertain; it is not the final charge. Give the inputs you mean to run with for a better estimate.',
    arguments: Closed({ workflowId: WorkflowId, inputs: RunInput.properties.inputs }),
  },
  success: { 200: { description: 'The estimate', data: Estimate } },
  errors: ['WORKFLOW_NOT_FOUND', 'WORKFLOW_INVALID', 'INPUT_INVALID', 'CALLBACK_URL_REJECTED'],
  repeatable: true,
  async handle(context, { params: { workflowId }, body }) {
    const { services, principal } = context
    const row = await requireWorkflow(context, workflowId)
    const { plan, calls, validation } = await requireValid(
      context,
      JSON.parse(row.data),
      workflowId,
    )
    const inputs = (body.inputs ?? {}) as Record<string, unknown>
    const issues = await checkInputs(plan, inputs, {
      checkSchemas: (checks) => services.graphs.checkSchemas(principal.accountId, checks),
      missing: 'allowed',
    })
    if (issues.length > 0) {
      const located = issues.map((issue) => ({ ...issue, path: `/inputs${issue.path}` }))
      throw invalid('INPUT_INVALID', located, `${issues[0]?.message}.`)
    }
    if (body.callbackUrl !== undefined) await services.graphs.checkCallbackUrl(body.callbackUrl)
    const estimate = await estimatePlan(plan, inputs, {
      models: modelLookup(services.catalogue),
      called: calls.called,
      tools: toolsOf(context),
    })
    return answer({ workflowId, ...estimate, unsupportedNodes: validation.unsupportedNodes })
  },
})

function toolsOf({ services: { db, clock, graphs }, principal: { accountId } }: GraphContext) {
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
