// Receives the signed webhooks of runs: verifies each, and acts once per event.
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { verifyWebhook, WebhookError } from 'atelier/client'

// Several secrets, separated by commas, are accepted while one replaces another.
const secrets = (process.env.WEBHOOK_SECRET ?? '').split(',')
const largestBytes = 1024 * 1024
// In production a table with a unique key: it must outlive this process.
const seen = new Set()

const server = createServer(async (request, response) => {
  try {
    if (!(Number(request.headers['content-length']) <= largestBytes)) {
      response.writeHead(413).end()
      return
    }
    const { id, event } = await verifyWebhook(await buffer(request), request.headers, secrets)
    // Answered first: the server waits 15 seconds and then delivers again.
    response.writeHead(204).end()
    if (seen.has(id)) {
      console.log(`${id} came again, ignored`)
      return
    }
    seen.add(id)
    const { runId, status, outputs, metadata } = event.data
    console.log(`${event.type} ${runId}`, JSON.stringify({ status, outputs, metadata }))
  } catch (error) {
    const isForged = error instanceof WebhookError
    console.error(isForged ? `refused: ${error.message}` : error)
    response.writeHead(isForged ? 401 : 500).end()
  }
})

server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`receiving on http://127.0.0.1:${server.address().port}`)
})
