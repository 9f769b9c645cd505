import { answer } from '../operation.ts'
import { defineConsole, requireCaller } from './context.ts'
import { ServerFacts } from './server-facts.ts'

export const getServer = defineConsole({
  id: 'getServer',
  route: 'GET /server',
  summary: 'Shows version, address, providers and limits of this server',
  access: 'viewer',
  takesKeys: true,
  // A key that lists models may also see how the keys that serve them are doing.
  keyScope: 'models:read',
  success: { 200: { description: 'The facts about this server.', data: ServerFacts } },
  handle(context) {
    requireCaller(context)
    return answer(context.services.server())
  },
})
