// A vendor behind a socket that bills what it accepts, by the first word of each prompt, and a
// record of when each call to it began.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGateway, type Gateway } from '#outbound/gateway.ts'
import { createOpenAiProvider } from '#providers/openai/adapter.ts'
import type { Provider } from '#providers/provider.ts'

/** In a prompt: what the vendor does with it. */
export const fates = ['ok', 'ok', 'ok', 'bad', 'lost'] as const

export type PaidDouble = AsyncDisposable & {
  url: string
  provider: Provider
  gateway: Gateway
  /** Micros by family, the first word of a prompt. */
  billed: Map<string, number>
  /** Calls of any kind that began, as the process that makes them sees it. */
  starts: { family: string; atMs: number }[]
}

const tokensOf = (prompt: string) => 1 + (prompt.length % 7)

export async function startPaidDouble(turns: () => number): Promise<PaidDouble> {
  const billed = new Map<string, number>()
  const starts: PaidDouble['starts'] = []
  const server = createServer(async (request, response) => {
    const body = await readAll(request)
    for (let left = turns(); left > 0; left--) await new Promise(setImmediate)
    if (request.url === '/hook') return response.end('{}')
    const prompt: string = JSON.parse(body).messages.at(-1).content
    const [family = '', fate] = prompt.split(' ')
    if (fate === 'bad') {
      return response
        .writeHead(400)
        .end('{"error":{"message":"no","type":"invalid_request_error"}}')
    }
    const tokens = tokensOf(prompt)
    // At one micro per token of either kind.
    billed.set(family, (billed.get(family) ?? 0) + 1 + tokens)
    if (fate === 'lost') return request.socket.destroy()
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answerTo(prompt, tokens)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const vendor = createOpenAiProvider({
    name: 'counting',
    apiKey: 'k',
    baseUrl: url,
    dialect: 'compatible',
  })
  const gateway = createGateway({ allow: ['127.0.0.1/32'] })
  const began = (prompt: string) =>
    starts.push({ family: prompt.split(' ')[0] ?? '', atMs: Date.now() })
  return {
    url,
    billed,
    starts,
    provider: {
      name: 'counting',
      async generateText(request, options) {
        began(String(request.messages.at(-1)?.content))
        if (!vendor.generateText) throw new Error('no texts')
        return vendor.generateText(request, options)
      },
    },
    gateway: {
      ...gateway,
      request(target, options) {
        began(JSON.parse(String(options.body)))
        return gateway.request(target, options)
      },
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await gateway.close()
    },
  }
}

async function readAll(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

const answerTo = (prompt: string, tokens: number) => ({
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [
    { index: 0, message: { role: 'assistant', content: `${prompt}+` }, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 1, completion_tokens: tokens, total_tokens: 1 + tokens },
})
