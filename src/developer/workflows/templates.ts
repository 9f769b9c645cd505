import { Templates, templatesAnswer } from '#operations/templates/list-workflow-templates.ts'
import { defineDeveloper, requireSession } from '../context.ts'

export const getTemplates = defineDeveloper({
  id: 'listTemplates',
  route: 'GET /templates',
  summary: 'Lists ready workflows to start from',
  scope: 'public',
  success: {
    200: {
      description: 'The templates; `data` can be stored as a workflow as it is.',
      data: Templates,
    },
  },
  errors: ['AUTH_REQUIRED'],
  repeatable: true,
  handle(context) {
    requireSession(context)
    return templatesAnswer()
  },
})
