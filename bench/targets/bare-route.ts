// The baseline: one Fastify route with the response schema of listModels, and nothing else.
import fastify from 'fastify'
import { listModels } from '../../src/api/public/models/list-models.ts'
import { envelope } from '../../src/http/openapi/openapi.ts'

const payload = JSON.parse(process.argv[2] ?? '{}')
const app = fastify()
const form = listModels.success[200]
if (!form) throw new Error('listModels answers 200')
app.get('/models', { schema: { response: { 200: envelope(form) } } }, async () => payload)
app.get('/refused', async (_request, reply) => {
  reply.code(401)
  return { success: false, error: { code: 'AUTH_REQUIRED', message: 'no', retryable: false } }
})
const url = await app.listen({ host: '127.0.0.1', port: 0 })
console.log(JSON.stringify({ url }))
