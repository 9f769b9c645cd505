// The baseline: a Fastify route with the chat schemas and one undici call upstream, without
// credentials, metering or ledger.
import fastify from 'fastify'
import { Pool } from 'undici'
import { createChatCompletion } from '../../src/api/public/chat/create-chat-completion.ts'
import { envelope } from '../../src/http/openapi/openapi.ts'
import '../answer-questions.ts'

const pool = new Pool(process.argv[2] ?? '', { connections: 128 })
const app = fastify({ ajv: { customOptions: { coerceTypes: false, removeAdditional: false } } })
const form = createChatCompletion.success[200]
if (!form) throw new Error('chat answers 200')
type Upstream = {
  id: string
  choices: { message: { content: string } }[]
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number }
}

app.post<{ Body: { model: string; messages: unknown[] } }>(
  '/chat',
  { schema: { body: createChatCompletion.body, response: { 200: envelope(form) } } },
  async (request) => {
    const { body } = await pool.request({
      method: 'POST',
      path: '/chat/completions',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: request.body.model, messages: request.body.messages }),
    })
    const upstream = (await body.json()) as Upstream
    return {
      success: true,
      data: {
        id: upstream.id,
        model: request.body.model,
        content: upstream.choices[0]?.message.content,
        finishReason: 'stop',
        usage: {
          inputTokens: upstream.usage.prompt_tokens,
          outputTokens: upstream.usage.completion_tokens,
          totalTokens: upstream.usage.total_tokens,
        },
        cost: null,
        createdAt: new Date().toISOString(),
      },
    }
  },
)
const url = await app.listen({ host: '127.0.0.1', port: 0 })
console.log(JSON.stringify({ url }))
