import type { Item, Step, Tool } from './script.ts'
import { type Body, list, namedEvent, newId, piecesOf, usage, type Wire } from './wire.ts'

export const messages: Wire = {
  read(path, body) {
    if (!path.endsWith('/messages')) return undefined
    return {
      isStream: body.stream === true,
      tools: list(body.tools).map(toolOf),
      items: list(body.messages).flatMap(itemsOf),
      answerSchema: body.output_config?.format?.schema ?? body.output_format?.schema,
    }
  },
  whole: (step, body) => ({
    ...messageOf(body),
    content: [...(step.text ? [{ type: 'text', text: step.text }] : []), ...callsOf(step)],
    stop_reason: reasonOf(step),
  }),
  *events(step, body) {
    yield namedEvent({ type: 'message_start', message: messageOf(body) })
    let index = 0
    if (step.text) {
      yield start(index, { type: 'text', text: '' })
      for (const text of piecesOf(step.text)) yield delta(index, { type: 'text_delta', text })
      yield stop(index++)
    }
    for (const call of callsOf(step)) {
      yield start(index, { ...call, input: {} })
      const partial_json = JSON.stringify(call.input)
      yield delta(index, { type: 'input_json_delta', partial_json })
      yield stop(index++)
    }
    const ended = { stop_reason: reasonOf(step), stop_sequence: null }
    yield event('message_delta', { delta: ended, usage: { output_tokens: usage.output } })
    yield event('message_stop', {})
  },
}

const event = (type: string, rest: object) => namedEvent({ type, ...rest })
const start = (index: number, content_block: object) =>
  event('content_block_start', { index, content_block })
const delta = (index: number, change: object) =>
  event('content_block_delta', { index, delta: change })
const stop = (index: number) => event('content_block_stop', { index })

const messageOf = (body: Body) => ({
  id: newId('msg'),
  type: 'message',
  role: 'assistant',
  model: body.model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: usage.input, output_tokens: usage.output },
})

const toolOf = (tool: Body): Tool => ({ name: tool.name, schema: tool.input_schema })

function itemsOf({ role, content }: Body): Item[] {
  if (typeof content === 'string') return [{ is: role, text: content }]
  return list(content).flatMap((block): Item[] => {
    if (block.type === 'image' || block.type === 'document') return [{ is: 'picture' }]
    if (block.type === 'tool_use') return [{ is: 'call', name: block.name }]
    if (block.type !== 'tool_result') return [{ is: role, text: block.text ?? '' }]
    const inside = typeof block.content === 'string' ? [{ text: block.content }] : block.content
    const pictures = list(inside).filter(({ type }) => type === 'image' || type === 'document')
    const text = list(inside)
      .map((part) => part.text ?? '')
      .join('\n')
    return [{ is: 'result', text }, ...pictures.map((): Item => ({ is: 'picture' }))]
  })
}

const callsOf = ({ call }: Step) =>
  call ? [{ type: 'tool_use', id: newId('toolu'), name: call.tool.name, input: call.input }] : []

const reasonOf = ({ call }: Step): string => (call ? 'tool_use' : 'end_turn')
