import { at, echo, type Wire } from './wire.ts'

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
  keyOf: (headers) => (headers['x-api-key'] === undefined ? undefined : `${headers['x-api-key']}`),
  classify: (method, path) =>
    method === 'POST' && path === '/v1/messages' ? { route: 'chat' } : undefined,
  refuse: (status, message) => ({
    type: 'error',
    error: { type: errorTypes[status] ?? 'api_error', message },
    request_id: 'req_011double',
  }),
  chat: (body) => {
    const messages = at(body, 'messages')
    const last = Array.isArray(messages) ? at(messages.at(-1), 'content') : ''
    const text = echo(typeof last === 'string' ? last : JSON.stringify(last))
    return {
      status: 200,
      headers: { 'request-id': 'req_011double' },
      body: {
        id: 'msg_01double',
        type: 'message',
        role: 'assistant',
        model: at(body, 'model'),
        content: [{ type: 'text', text }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: {
          input_tokens: 12,
          cache_creation_input_tokens: 4,
          cache_read_input_tokens: 5,
          output_tokens: 8,
          service_tier: 'standard',
        },
      },
    }
  },
}
