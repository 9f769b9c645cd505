import { asks, at, dataEvent, echo, inPieces, type Wire } from './wire.ts'

const errorTypes: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

export const anthropicWire: Wire = {
  basePath: '',
  openRoutes: [],
  keyOf: ({ authorization }) => /^Bearer (.+)$/.exec(`${authorization}`)?.[1],
  classify: (method, path) =>
    method === 'POST' && path === '/v1/messages' ? { route: 'chat' } : undefined,
  refuse: (status, message) => ({
    type: 'error',
    error: { type: errorTypes[status] ?? 'api_error', message },
    request_id: 'req_011double',
  }),
  chat: (body) => {
    const { text, call } = replyTo(body)
    return {
      status: 200,
      headers: { 'request-id': 'req_011double' },
      body: {
        ...head(body),
        content: [
          ...(searches(body) ? found : []),
          ...(thinks(body) ? [{ type: 'thinking', thinking: thought, signature }] : []),
          call
            ? { type: 'tool_use', id: 'toolu_double', name: call.name, input: call.args }
            : { type: 'text', text },
        ],
        stop_reason: call ? 'tool_use' : 'end_turn',
        stop_sequence: null,
        usage: { ...inputUsage, ...searchUsage(body), output_tokens: 8, service_tier: 'standard' },
      },
    }
  },
  stream: (body) => {
    if (at(body, 'stream') !== true) return undefined
    const { text, call } = replyTo(body)
    const index = searches(body) ? 2 : thinks(body) ? 1 : 0
    const block = call
      ? { type: 'tool_use', id: 'toolu_double', name: call.name, input: {} }
      : { type: 'text', text: '' }
    const deltas = call
      ? inPieces(JSON.stringify(call.args)).map((partial_json) => ({
          type: 'input_json_delta',
          partial_json,
        }))
      : inPieces(text).map((piece) => ({ type: 'text_delta', text: piece }))
    const message = { ...head(body), content: [], usage: { ...inputUsage, output_tokens: 1 } }
    return [
      named({ type: 'message_start', message }),
      ...(searches(body) ? found.flatMap(blockEvents) : []),
      ...(thinks(body) ? thoughtEvents : []),
      named({ type: 'content_block_start', index, content_block: block }),
      named({ type: 'ping' }),
      ...deltas.map((delta) => named({ type: 'content_block_delta', index, delta })),
      named({ type: 'content_block_stop', index }),
      named({
        type: 'message_delta',
        delta: { stop_reason: call ? 'tool_use' : 'end_turn', stop_sequence: null },
        usage: { output_tokens: 8, ...searchUsage(body) },
      }),
      named({ type: 'message_stop' }),
    ]
  },
  streamError: (message) => named({ type: 'error', error: { type: 'api_error', message } }),
}

const named = (event: { type: string } & Record<string, unknown>): string =>
  `event: ${event.type}\n${dataEvent(event)}`

/** It searches once if it may. */
const searches = (body: unknown): boolean =>
  String(at(body, 'tools', 0, 'type')).startsWith('web_search')
const searchUsage = (body: unknown) =>
  searches(body) ? { server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 } } : {}

const found = [
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'rain' } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [{ type: 'web_search_result', url: 'https://example.com/', title: 'Rain' }],
  },
]

const blockEvents = (content_block: object, index: number) => [
  named({ type: 'content_block_start', index, content_block }),
  named({ type: 'content_block_stop', index }),
]

/** It thinks in words if it is asked to show that. */
const thinks = (body: unknown): boolean => at(body, 'thinking', 'display') === 'summarized'
const thought = 'Let me think.'
const signature = 'c2lnbmVkIGJ5IHRoZSBkb3VibGU='

const thoughtEvents = [
  { type: 'content_block_start', content_block: { type: 'thinking', thinking: '', signature: '' } },
  ...inPieces(thought).map((thinking) => ({
    type: 'content_block_delta',
    delta: { type: 'thinking_delta', thinking },
  })),
  { type: 'content_block_delta', delta: { type: 'signature_delta', signature } },
  { type: 'content_block_stop' },
].map((event) => named({ ...event, index: 0 }))

const head = (body: unknown) => ({
  id: 'msg_01double',
  type: 'message',
  role: 'assistant',
  model: at(body, 'model'),
})

const inputUsage = {
  input_tokens: 12,
  cache_creation_input_tokens: 4,
  cache_read_input_tokens: 5,
}

function replyTo(body: unknown) {
  const messages = at(body, 'messages')
  const last = Array.isArray(messages) ? at(messages.at(-1), 'content') : ''
  const result = at(last, 0, 'type') === 'tool_result' ? at(last, 0, 'content') : last
  const words = typeof result === 'string' ? result : JSON.stringify(result)
  const tools = searches(body) ? [] : at(body, 'tools')
  return { text: echo(words), call: asks(words, tools, (tool) => at(tool, 'name')) }
}
