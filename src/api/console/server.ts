import { answer } from '../operation.ts'
import { defineDeveloper, requireSession } from './context.ts'
import { ServerFacts } from './server-facts.ts'

export const getServer = defineDeveloper({
  id: 'getServer',
  route: 'GET /server',
  summary: 'Shows version, address, providers and limits of this server',
  access: 'viewer',
  success: { 200: { description: 'The facts about this server.', data: ServerFacts } },
  errors: [],
  repeatable: true,
  handle(context) {
    requireSession(context)
    return answer(context.services.server())
  },
})
