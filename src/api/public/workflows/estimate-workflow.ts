import { invalid } from '#core/errors.ts'
import type { Validation } from '#graph/validation/problems.ts'
import { answer } from '../../operation.ts'
import { Closed, NamedRecord, WorkflowId } from '../../schemas.ts'
import { defineOperation } from '../context.ts'
import { optionsOf, planFor, reusesByDefault } from '../runs/accepted-graph.ts'
import { withDeadline } from '../runs/economy.ts'
import { requireDraft } from '../runs/graph-to-run.ts'
import { pinnedResults } from '../runs/pinned-results.ts'
import { RunInput } from '../runs/run-record.ts'
import { estimateGraph, GraphEstimate, inputIssues } from './estimate-graph.ts'
import { requireValid, requireWorkflow } from './examine-graph.ts'
import { UnsupportedNodes } from './graph-answers.ts'

const Estimate = NamedRecord('Estimate', {
  workflowId: WorkflowId,
  ...GraphEstimate.properties,
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
  errors: [
    ...(['WORKFLOW_NOT_FOUND', 'DRAFT_NOT_FOUND', 'PRECONDITION_FAILED'] as const),
    ...(['WORKFLOW_INVALID', 'INPUT_INVALID', 'CALLBACK_URL_REJECTED'] as const),
  ],
  repeatable: true,
  async handle(context, { params: { workflowId }, body }) {
    const { services } = context
    const saved = await requireWorkflow(context, workflowId)
    const row = body.draft ? await requireDraft(context, workflowId, body.draft) : saved
    const graph = row.data.value
    const { calls, validation, ...valid } = await requireValid(context, graph, workflowId)
    const plan = planFor(valid.plan, body)
    const inputs = (body.inputs ?? {}) as Record<string, unknown>
    const issues = await inputIssues(context, plan, inputs)
    if (issues.length > 0) throw invalid('INPUT_INVALID', issues, `${issues[0]?.message}.`)
    if (body.callbackUrl !== undefined) await services.graphs.checkCallbackUrl(body.callbackUrl)
    const asked = withDeadline(null, body, services.clock.nowMs())
    const isReusing = optionsOf(body, { reuses: reusesByDefault(graph) })?.reuse === 'exact'
    const given = { ...inputs, ...(await pinnedResults(context, body.pins)) }
    const estimate = await estimateGraph(context, { plan, calls, workflowId }, given, {
      ...(isReusing ? { reuse: { isCostLimited: body.maxCost !== undefined } } : {}),
      deadlineMs: asked?.deadlineMs,
    })
    const { assumptions } = estimate
    return answer({
      workflowId,
      ...estimate,
      assumptions: [...assumptions, ...credentialSentences(validation)],
      unsupportedNodes: validation.unsupportedNodes,
    })
  },
})

/** Estimates have no warnings, but a run that lacks a credential fails and costs something else. */
const credentialSentences = ({ warnings }: Validation): string[] =>
  warnings.flatMap(({ code, nodeId, message }) =>
    code === 'CREDENTIAL_NOT_FOUND' || code === 'CREDENTIAL_NOT_ALLOWED'
      ? [`${nodeId}: ${message}`]
      : [],
  )
