// A host that speaks OpenAI's older protocol, one piece at a time as the test tells it, so that a
// test can look at a chat while it is answered.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

export type Asked = {
  body: { messages: { role: string; content: unknown }[] } & Record<string, unknown>
  say(text: string): void
  delta(delta: object): void
  end(): void
  /** Answers with this status instead. */
  refuse(status: number, message: string): void
}

export async function startTalkingHost() {
  const waiting: Asked[] = []
  const listeners: ((asked: Asked) => void)[] = []
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Asked['body']
    const asked = askedOf(body, response)
    const listen = listeners.shift()
    if (listen) listen(asked)
    else waiting.push(asked)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    /** The next request, which may have come already. */
    asked: (): Promise<Asked> => {
      const first = waiting.shift()
      return first ? Promise.resolve(first) : new Promise((resolve) => listeners.push(resolve))
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const usage = { prompt_tokens: 25, completion_tokens: 210, total_tokens: 235 }

const wholeOf = (content: string) => ({
  ...{ id: 'c', object: 'chat.completion', model: 'talk', usage },
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
})

function askedOf(body: Asked['body'], response: ServerResponse): Asked {
  const send = (data: object) => {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: ${JSON.stringify({ id: 'c', model: 'talk', ...data })}\n\n`)
  }
  const delta = (value: object, finish_reason: string | null = null) =>
    send({ choices: [{ index: 0, delta: value, finish_reason }] })
  let said = ''
  return {
    body,
    say(content) {
      said += content
      if (body.stream) delta({ content })
    },
    delta,
    end() {
      if (!body.stream) return response.end(JSON.stringify(wholeOf(said)))
      delta({}, 'stop')
      send({ choices: [], usage })
      response.end('data: [DONE]\n\n')
    },
    refuse(status, message) {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message } }))
    },
  }
}
