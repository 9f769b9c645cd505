import { Type } from '#core/schema.ts'
import { listTemplates } from '#graph/templates/list-templates.ts'
import { Named } from '../../named.ts'
import { answer } from '../../operation.ts'
import { Closed, OneOf } from '../../schemas.ts'
import { defineOperation } from '../context.ts'
import { GraphShape } from '../workflows/workflow-record.ts'

const Trigger = Closed(
  {
    kind: OneOf(['SCHEDULE', 'WEBHOOK']),
    name: Type.String(),
    cron: Type.Optional(Type.String()),
    overlap: Type.Optional(OneOf(['allow', 'skip', 'queue'])),
    verify: Type.Optional(
      Closed(
        { method: OneOf(['github', 'slack']) },
        { description: 'Add `credentials`: the name of the stored secret.' },
      ),
    ),
    mapping: Type.Optional(Type.String()),
    sample: Type.Optional(
      Closed(
        { headers: Type.Object({}), body: Type.Object({}) },
        { description: 'What the sender sends, to try `mapping` with; no setting of a trigger.' },
      ),
    ),
  },
  { description: 'What such a workflow is usually started by, as settings of a trigger.' },
)

const Template = Closed({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  icon: Type.String({ description: 'Name of a lucide icon.' }),
  data: GraphShape,
  sampleInputs: Type.Object({}, { description: 'Inputs to try it with.' }),
  trigger: Type.Optional(Trigger),
})

export const templatesOf = (name: string) =>
  Closed({ items: Type.Array(Named(name, Template)), total: Type.Integer() })

export const templatesAnswer = () => {
  const items = listTemplates()
  return answer({ items, total: items.length })
}

export const listWorkflowTemplates = defineOperation({
  id: 'listWorkflowTemplates',
  route: 'GET /templates',
  summary: 'List ready-made workflows to start from',
  description:
    'Each works unchanged with the built-in demo models. Store its `data` as a workflow.',
  scope: 'workflows:read',
  success: {
    200: {
      description: 'The templates',
      data: Named('WorkflowTemplateList', templatesOf('WorkflowTemplate')),
    },
  },
  handle: templatesAnswer,
})
