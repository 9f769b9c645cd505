// An OpenAI-compatible server that gives every chat the same answer after `delayMs`.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const delayMs = Number(process.argv[2] ?? 0)
const answer = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1,
  model: 'bench',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hello there. How can I help?' },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 12, completion_tokens: 8, total_tokens: 20 },
})
const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) }
const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    const reply = () => response.writeHead(200, head).end(answer)
    if (delayMs === 0) reply()
    else setTimeout(reply, delayMs)
  })
})
server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
})
