// How OpenAI's Responses API answers.
import { asks, at, dataEvent, echo, inPieces, type Reply } from './wire.ts'

export const isForResponses = (body: unknown): boolean => Array.isArray(at(body, 'input'))

export function respond(body: unknown): Reply {
  const { item } = replyTo(body)
  return {
    status: 200,
    headers: { 'x-request-id': 'req_double' },
    body: { ...head(body), status: 'completed', output: [item], usage },
  }
}

export function respondInEvents(body: unknown): string[] {
  const { item, words } = replyTo(body)
  const at = { output_index: 0, content_index: 0, item_id: item.id }
  const isCall = item.type === 'function_call'
  const type = isCall ? 'response.function_call_arguments.delta' : 'response.output_text.delta'
  const empty = isCall ? { ...item, arguments: '' } : { ...item, content: [] }
  const response = { ...head(body), status: 'completed', output: [item], usage }
  return [
    event({
      type: 'response.created',
      response: { ...head(body), status: 'in_progress', output: [] },
    }),
    event({ type: 'response.output_item.added', output_index: 0, item: empty }),
    ...inPieces(words).map((delta) => event({ type, delta, ...at })),
    event({ type: 'response.output_item.done', output_index: 0, item }),
    event({ type: 'response.completed', response }),
  ]
}

const event = (data: { type: string } & Record<string, unknown>): string =>
  `event: ${data.type}\n${dataEvent(data)}`

const head = (body: unknown) => ({
  id: 'resp_double',
  object: 'response',
  created_at: 1_763_000_000,
  model: at(body, 'model'),
  error: null,
  incomplete_details: null,
})

const usage = {
  input_tokens: 21,
  input_tokens_details: { cached_tokens: 5, cache_write_tokens: 0 },
  output_tokens: 8,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 29,
}

function replyTo(body: unknown) {
  const input = at(body, 'input')
  const last = Array.isArray(input) ? input.at(-1) : undefined
  const given = at(last, 'output') ?? at(last, 'content') ?? ''
  const said = typeof given === 'string' ? given : JSON.stringify(given)
  const wanted = asks(said, at(body, 'tools'), (tool) => at(tool, 'name'))
  if (wanted) {
    const words = JSON.stringify(wanted.args)
    const call = { type: 'function_call', id: 'fc_double', call_id: 'call_double' }
    return { words, item: { ...call, name: wanted.name, arguments: words, status: 'completed' } }
  }
  const words = echo(said)
  const content = [{ type: 'output_text', text: words, annotations: [], logprobs: [] }]
  const item = {
    type: 'message',
    id: 'msg_double',
    role: 'assistant',
    status: 'completed',
    content,
  }
  return { words, item }
}
