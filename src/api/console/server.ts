import { answer } from '../operation.ts'
import { defineConsole, requireSession } from './context.ts'
import { ServerFacts } from './server-facts.ts'

export const getServer = defineConsole({
  id: 'getServer',
  route: 'GET /server',
  summary: 'Shows version, address, providers and limits of this server',
  access: 'viewer',
  success: { 200: { description: 'The facts about this server.', data: ServerFacts } },
  handle(context) {
    requireSession(context)
    return answer(context.services.server())
  },
})
