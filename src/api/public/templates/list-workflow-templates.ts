import { Type } from '#core/schema.ts'
import { listTemplates } from '#graph/templates/list-templates.ts'
import { Named } from '../../named.ts'
import { answer } from '../../operation.ts'
import { Closed } from '../../schemas.ts'
import { defineOperation } from '../context.ts'
import { GraphShape } from '../workflows/workflow-record.ts'

const Template = Closed({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  icon: Type.String({ description: 'Name of a lucide icon.' }),
  data: GraphShape,
  sampleInputs: Type.Object({}, { description: 'Inputs to try it with.' }),
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
