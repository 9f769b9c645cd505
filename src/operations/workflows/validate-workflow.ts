import { Type } from 'typebox'
import { answer } from '#operations/operation.ts'
import { Closed } from '#operations/schemas.ts'
import { examineGraph } from './examine-graph.ts'
import { Validation } from './graph-answers.ts'
import { defineOperation } from './graph-context.ts'
import { GraphShape, workflowBodyBytes } from './workflow-record.ts'

export const validateWorkflow = defineOperation({
  id: 'validateWorkflow',
  route: 'POST /workflows/validate',
  summary: 'Check a graph without storing it',
  description:
    'Answers 200 also when the graph is not valid, with every problem and how to mend it.',
  scope: 'workflows:read',
  bodyLimitBytes: workflowBodyBytes,
  body: Type.Object({
    data: Type.Object({}, { description: 'The graph: nodes and connections.' }),
  }),
  tool: {
    name: 'svc_validate_workflow',
    description:
      'Check a graph of nodes and connections without storing it. Returns every problem with the way to mend it; call it before creating or updating a workflow.',
    arguments: Closed({ data: GraphShape }),
  },
  success: { 200: { description: 'The outcome', data: Validation } },
  errors: [],
  repeatable: true,
  async handle(context, { body }) {
    const { validation } = await examineGraph(context, body.data, null)
    return answer(validation)
  },
})
