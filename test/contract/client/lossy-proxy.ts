import { once } from 'node:events'
import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export type LossyProxy = AsyncDisposable & {
  url: string
  /** Requests that reached the server, as `METHOD path`. */
  passed: string[]
  /** The next answer is not given: the connection breaks once the server has answered. */
  loseNextAnswer(): void
}

/** Stands between client and server, and breaks connections when the work is already done. */
export async function startLossyProxy(target: string): Promise<LossyProxy> {
  const passed: string[] = []
  let isLosing = false
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request
    const body = await buffer(request)
    const upstream = ask(target + url, { method, headers })
    upstream.end(body)
    const [answer] = await once(upstream, 'response')
    const content = await buffer(answer)
    passed.push(`${method} ${url}`)
    if (isLosing) {
      isLosing = false
      request.socket.destroy()
      return
    }
    response.writeHead(answer.statusCode, answer.headers).end(content)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    loseNextAnswer: () => {
      isLosing = true
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
