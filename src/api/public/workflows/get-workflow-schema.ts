import { Type } from '#core/schema.ts'
import { inputSchemaOf, outputSchemaOf } from '#graph/plan/schema.ts'
import { answer } from '../../operation.ts'
import { Closed, NamedRecord, WorkflowId } from '../../schemas.ts'
import { defineOperation } from '../context.ts'
import { requireValid, requireWorkflow } from './examine-graph.ts'
import { UnsupportedNodes } from './graph-answers.ts'

const JsonSchema = (description: string) => Type.Object({}, { description })

export const getWorkflowSchema = defineOperation({
  id: 'getWorkflowSchema',
  route: 'GET /workflows/{workflowId}/schema',
  summary: "Read the JSON Schemas of a run's inputs and outputs",
  scope: 'workflows:read',
  params: Closed({ workflowId: WorkflowId }),
  tool: {
    name: 'svc_get_workflow_schema',
    description:
      'Read the JSON Schemas of a workflow: inputs are keyed by input node ID, outputs have the form the run will return. Check unsupportedNodes before running, and build inputs from inputSchema only.',
  },
  success: {
    200: {
      description: 'The schemas',
      data: NamedRecord('WorkflowSchema', {
        workflowId: WorkflowId,
        version: Type.Integer({ minimum: 1 }),
        inputSchema: JsonSchema('JSON Schema 2020-12 of inputs, keyed by input node ID.'),
        outputSchema: JsonSchema('JSON Schema 2020-12 of outputs.'),
        unsupportedNodes: UnsupportedNodes,
      }),
    },
  },
  errors: ['WORKFLOW_NOT_FOUND', 'WORKFLOW_INVALID'],
  async handle(context, { params: { workflowId } }) {
    const row = await requireWorkflow(context, workflowId)
    const { plan, validation } = await requireValid(context, row.data.value, workflowId)
    return answer({
      workflowId,
      version: row.version,
      inputSchema: inputSchemaOf(plan),
      outputSchema: outputSchemaOf(plan),
      unsupportedNodes: validation.unsupportedNodes,
    })
  },
})
