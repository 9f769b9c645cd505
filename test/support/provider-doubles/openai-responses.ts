// How OpenAI's Responses API answers.
import { asks, at, dataEvent, echo, inPieces, type Reply } from './wire.ts'

export const isForResponses = (body: unknown): boolean => Array.isArray(at(body, 'input'))

export function respond(body: unknown): Reply {
  const { item } = replyTo(body)
  const output = [...searchesOf(body), item]
  return {
    status: 200,
    headers: { 'x-request-id': 'req_double' },
    body: { ...head(body), status: 'completed', output, usage },
  }
}

export function respondInEvents(body: unknown): string[] {
  const { item, words } = replyTo(body)
  const searches = searchesOf(body)
  const output_index = searches.length
  const at = { output_index, content_index: 0, item_id: item.id }
  const isCall = item.type === 'function_call'
  const type = isCall ? 'response.function_call_arguments.delta' : 'response.output_text.delta'
  const empty = isCall ? { ...item, arguments: '' } : { ...item, content: [] }
  const response = { ...head(body), status: 'completed', output: [...searches, item], usage }
  return [
    event({
      type: 'response.created',
      response: { ...head(body), status: 'in_progress', output: [] },
    }),
    ...searches.flatMap((search, index) => [
      event({ type: 'response.output_item.added', output_index: index, item: search }),
      event({ type: 'response.output_item.done', output_index: index, item: search }),
    ]),
    event({ type: 'response.output_item.added', output_index, item: empty }),
    ...inPieces(words).map((delta) => event({ type, delta, ...at })),
    ...(isCall ? [] : annotationsOf(item).map((annotation) => annotated(at, annotation))),
    event({ type: 'response.output_item.done', output_index, item }),
    event({ type: 'response.completed', response }),
  ]
}

/** It searches once if it may. */
const searches = (body: unknown): boolean => at(body, 'tools', 0, 'type') === 'web_search'

const searchesOf = (body: unknown) =>
  searches(body)
    ? [
        {
          type: 'web_search_call',
          id: 'ws_double',
          status: 'completed',
          action: { type: 'search', query: 'rain' },
        },
      ]
    : []

const annotationsOf = (item: object): object[] =>
  (at(item, 'content', 0, 'annotations') as object[] | undefined) ?? []

const annotated = (place: object, annotation: object) =>
  event({
    type: 'response.output_text.annotation.added',
    ...place,
    annotation_index: 0,
    annotation,
  })

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
  const tools = searches(body) ? [] : at(body, 'tools')
  const wanted = asks(said, tools, (tool) => at(tool, 'name'))
  if (wanted) {
    const words = JSON.stringify(wanted.args)
    const call = { type: 'function_call', id: 'fc_double', call_id: 'call_double' }
    return { words, item: { ...call, name: wanted.name, arguments: words, status: 'completed' } }
  }
  const words = echo(said)
  const source = { type: 'url_citation', url: 'https://example.com/', title: 'Rain' }
  const annotations = searches(body) ? [{ ...source, start_index: 0, end_index: 3 }] : []
  const content = [{ type: 'output_text', text: words, annotations, logprobs: [] }]
  const item = {
    type: 'message',
    id: 'msg_double',
    role: 'assistant',
    status: 'completed',
    content,
  }
  return { words, item }
}
