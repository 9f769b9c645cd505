import { templatesAnswer, templatesOf } from '../../public/templates/list-workflow-templates.ts'
import { defineConsole, requireCaller } from '../context.ts'

export const getTemplates = defineConsole({
  id: 'listTemplates',
  route: 'GET /templates',
  summary: 'Lists ready-made workflows to start from',
  access: 'viewer',
  takesKeys: true,
  success: {
    200: {
      description: 'The templates; `data` can be stored as a workflow without changes.',
      data: templatesOf('Template'),
    },
  },
  handle(context) {
    requireCaller(context)
    return templatesAnswer()
  },
})
