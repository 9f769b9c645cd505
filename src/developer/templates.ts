import { Type } from 'typebox'
import { answer } from '#operations/operation.ts'
import { Closed } from '#operations/schemas.ts'
import { listTemplates } from '#templates/list-templates.ts'
import { defineDeveloper, requireSession } from './context.ts'

const Template = Closed({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  icon: Type.String(),
  data: Type.Object({}),
  sampleInputs: Type.Object({}),
})

export const getTemplates = defineDeveloper({
  id: 'listTemplates',
  route: 'GET /templates',
  summary: 'Lists ready workflows to start from',
  scope: 'public',
  success: {
    200: {
      description: 'The templates; `data` can be stored as a workflow as it is.',
      data: Closed({ items: Type.Array(Template), total: Type.Integer() }),
    },
  },
  errors: ['AUTH_REQUIRED'],
  repeatable: true,
  handle(context) {
    requireSession(context)
    const items = listTemplates()
    return answer({ items, total: items.length })
  },
})
