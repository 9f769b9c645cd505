import { Type } from '#core/schema.ts'
import { Closed, OneOf } from '../../schemas.ts'
import { defineOperation } from '../context.ts'
import { answerDocument, toolFormats } from './agent-documents.ts'

export const listTools = defineOperation({
  id: 'listTools',
  route: 'GET /tools',
  summary: 'List the function-calling tools in the format of a model vendor',
  description:
    'You can pass the items to a model unchanged. Each tool represents one operation: arguments named in its path go to the path, page and size to the query, idempotencyKey to the Idempotency-Key header, and all others form the body.',
  scope: 'public',
  query: Type.Object({
    format: Type.Optional(
      Type.Unsafe<(typeof toolFormats)[number]>({
        type: 'string',
        enum: [...toolFormats],
        default: 'openai',
        description:
          'openai: Chat Completions; openai-responses: Responses; anthropic: Messages; gemini: functionDeclarations of Gemini; mcp: Model Context Protocol.',
      }),
    ),
    strict: Type.Optional(
      Type.Unsafe<'true' | 'false'>({
        type: 'string',
        enum: ['true', 'false'],
        default: 'false',
        description:
          'true: in the formats of OpenAI, tools whose arguments are all required are strict, so that their arguments always match the schema.',
      }),
    ),
  }),
  success: {
    200: {
      description: 'The tools',
      data: Closed({
        format: OneOf(toolFormats),
        items: Type.Array(Type.Object({})),
        total: Type.Integer({ minimum: 0 }),
      }),
    },
  },
  handle: async ({ services, headerValues }, { query }) => {
    const { format = 'openai', strict = 'false' } = query
    const agents = await services.agents()
    const tools = strict === 'true' ? agents.strictTools(format) : agents.tools(format)
    return answerDocument(tools, headerValues('if-none-match'))
  },
})
