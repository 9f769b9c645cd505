import type { Item, Step, Tool } from './script.ts'
import { type Body, list, namedEvent, newId, piecesOf, usage, type Wire } from './wire.ts'

export const responses: Wire = {
  read(path, body) {
    if (!path.endsWith('/responses')) return undefined
    const input = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : null
    const items = [
      ...(kept.get(body.previous_response_id) ?? []),
      ...list(input ?? body.input),
    ].map((item) => (item.type === 'item_reference' ? kept.get(item.id)?.[0] : item) ?? {})
    asked = items
    const added = items.flatMap((item) => (item.type === 'additional_tools' ? item.tools : []))
    return {
      isStream: body.stream === true,
      tools: [...list(body.tools), ...list(added)].flatMap((tool) => toolsOf(tool)),
      items: items.flatMap(itemsOf),
      answerSchema: body.text?.format?.schema,
    }
  },
  whole: (step, body) => keep(answered(body, 'completed', outputOf(step))),
  *events(step, body) {
    const response = answered(body, 'in_progress', [])
    let sequence_number = 0
    const event = (type: string, rest: object) =>
      namedEvent({ type, sequence_number: sequence_number++, ...rest })
    yield event('response.created', { response })
    yield event('response.in_progress', { response })
    const output = outputOf(step)
    for (const [output_index, item] of output.entries()) {
      yield* itemEvents(item, output_index, event)
    }
    const completed = { ...answered(body, 'completed', output), id: response.id }
    yield event('response.completed', { response: keep(completed) })
  },
}

/** What a client may refer to: items by their ids, and conversations by that of their response. */
const kept = new Map<string, Body[]>()
let asked: Body[] = []

function keep<T extends { id: string; output: Output[] }>(response: T): T {
  for (const item of response.output) kept.set(item.id, [item])
  kept.set(response.id, [...asked, ...response.output])
  return response
}

type Output = { type: string; id: string; [field: string]: Body }
type MakeEvent = (type: string, rest: object) => string

function* itemEvents(item: Output, output_index: number, event: MakeEvent): Iterable<string> {
  const at = { item_id: item.id, output_index }
  if (item.type === 'message') {
    const [part] = item.content
    yield event('response.output_item.added', { output_index, item: { ...item, content: [] } })
    const place = { ...at, content_index: 0 }
    yield event('response.content_part.added', { ...place, part: { ...part, text: '' } })
    for (const delta of piecesOf(part.text)) {
      yield event('response.output_text.delta', { ...place, delta, logprobs: [] })
    }
    yield event('response.output_text.done', { ...place, text: part.text, logprobs: [] })
    yield event('response.content_part.done', { ...place, part })
  } else if (item.type === 'custom_tool_call') {
    yield event('response.output_item.added', { output_index, item: { ...item, input: '' } })
    yield event('response.custom_tool_call_input.delta', { ...at, delta: item.input })
    yield event('response.custom_tool_call_input.done', { ...at, input: item.input })
  } else {
    yield event('response.output_item.added', { output_index, item: { ...item, arguments: '' } })
    yield event('response.function_call_arguments.delta', { ...at, delta: item.arguments })
    const whole = { ...at, name: item.name, arguments: item.arguments }
    yield event('response.function_call_arguments.done', whole)
  }
  yield event('response.output_item.done', { output_index, item })
}

const answered = (body: Body, status: string, output: Output[]) => ({
  id: newId('resp'),
  object: 'response',
  created_at: 1794728308,
  status,
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: body.model,
  output,
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  usage: status === 'completed' ? counted : null,
})

const counted = {
  input_tokens: usage.input,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: usage.output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: usage.input + usage.output,
}

/** A namespace holds tools; calls of them name it. */
function toolsOf(tool: Body, namespace?: string): Tool[] {
  if (tool.type === 'namespace') return list(tool.tools).flatMap((one) => toolsOf(one, tool.name))
  const isFreeform = tool.type === 'custom'
  const group = namespace === undefined ? {} : { namespace }
  return [{ name: tool.name ?? tool.type, isFreeform, schema: tool.parameters, ...group }]
}

function itemsOf(item: Body): Item[] {
  const type = item.type ?? 'message'
  if (type === 'message') return contentOf(item.content, speakerOf(item.role))
  if (/^(function_call|custom_tool_call|local_shell_call)$/.test(type)) {
    return [{ is: 'call', name: item.name ?? type }]
  }
  return /_output$/.test(type) ? contentOf(item.output, 'result') : []
}

const speakerOf = (role: string) => {
  if (role === 'developer' || role === 'system') return 'system'
  return role === 'assistant' ? 'assistant' : 'user'
}

type Speaker = Extract<Item, { text: string }>['is']

function contentOf(content: Body, is: Speaker): Item[] {
  if (typeof content === 'string') return [{ is, text: content }]
  const parts = list(content)
  const text = parts.map((part) => part.text ?? '').join('\n')
  const pictures = parts.filter(({ type }) => type === 'input_image' || type === 'input_file')
  return [{ is, text }, ...pictures.map((): Item => ({ is: 'picture' }))]
}

function outputOf({ text, call }: Step): Output[] {
  const part = { type: 'output_text', text, annotations: [], logprobs: [] }
  const done = { status: 'completed' }
  const said: Output = {
    type: 'message',
    id: newId('msg'),
    role: 'assistant',
    ...done,
    content: [part],
  }
  if (!call) return [said]
  const { tool, input } = call
  const group = tool.namespace === undefined ? {} : { namespace: tool.namespace }
  const called = { call_id: newId('call'), name: tool.name, ...group, ...done }
  const made: Output =
    typeof input === 'string'
      ? { type: 'custom_tool_call', id: newId('ctc'), ...called, input }
      : { type: 'function_call', id: newId('fc'), ...called, arguments: JSON.stringify(input) }
  return text === '' ? [made] : [said, made]
}
