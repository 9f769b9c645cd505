import { Type } from '#core/schema.ts'
import { answer } from '../../operation.ts'
import { Closed } from '../../schemas.ts'
import { defineOperation } from '../context.ts'
import { examineGraph } from './examine-graph.ts'
import { Validation } from './graph-answers.ts'
import { GraphShape, workflowBodyBytes } from './workflow-record.ts'

export const validateWorkflow = defineOperation({
  id: 'validateWorkflow',
  route: 'POST /workflows/validate',
  summary: 'Check a graph without storing it',
  description: 'Answers 200 even if the graph is invalid, with every problem and how to fix it.',
  scope: 'workflows:read',
  bodyLimitBytes: workflowBodyBytes,
  body: Type.Object({
    data: Type.Object({}, { description: 'The graph: nodes and connections.' }),
    // A record may be sent back as it was read. Values that are not integers are ignored.
    id: Type.Optional(Type.Unknown({ description: 'Same as workflowId.' })),
    workflowId: Type.Optional(
      Type.Unknown({
        description: 'The workflow that will have this graph, which then must not call itself.',
      }),
    ),
  }),
  tool: {
    name: 'svc_validate_workflow',
    description:
      'Check a graph of nodes and connections without storing it. Returns every problem and how to fix it; call it before creating or updating a workflow.',
    arguments: Closed({ data: GraphShape }),
  },
  success: { 200: { description: 'The outcome', data: Validation } },
  repeatable: true,
  async handle(context, { body }) {
    const { data, workflowId, id } = body
    const selfId = [workflowId, id].find((given) => Number.isSafeInteger(given)) ?? null
    const { validation } = await examineGraph(context, data, selfId as number | null)
    return answer(validation)
  },
})
