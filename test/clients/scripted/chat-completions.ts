import type { Item, Step, Tool } from './script.ts'
import { type Body, dataEvent, list, newId, piecesOf, usage, type Wire } from './wire.ts'

export const chatCompletions: Wire = {
  read(path, body) {
    if (!path.endsWith('/chat/completions')) return undefined
    return {
      isStream: body.stream === true,
      tools: list(body.tools).map(toolOf),
      items: list(body.messages).flatMap(itemsOf),
      answerSchema: body.response_format?.json_schema?.schema,
    }
  },
  whole: (step, body) => ({
    ...frame(body, 'chat.completion'),
    choices: [{ index: 0, message: messageOf(step), finish_reason: reasonOf(step) }],
    usage: counted,
  }),
  *events(step, body) {
    const chunk = (delta: object, finish_reason: string | null = null) =>
      dataEvent({
        ...frame(body, 'chat.completion.chunk'),
        choices: [{ index: 0, delta, finish_reason }],
      })
    yield chunk({ role: 'assistant', content: '' })
    for (const piece of piecesOf(step.text)) yield chunk({ content: piece })
    for (const call of callsOf(step)) yield chunk({ tool_calls: [{ index: 0, ...call }] })
    yield chunk({}, reasonOf(step))
    yield dataEvent({ ...frame(body, 'chat.completion.chunk'), choices: [], usage: counted })
    yield 'data: [DONE]\n\n'
  },
}

const frame = (body: Body, object: string) => ({
  id: 'chatcmpl-scripted',
  object,
  created: 1794728308,
  model: body.model,
})

const counted = {
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
}

const toolOf = (tool: Body): Tool => ({
  name: tool.function?.name ?? tool.custom?.name ?? tool.type,
  isFreeform: tool.type === 'custom',
  schema: tool.function?.parameters,
})

function itemsOf(message: Body): Item[] {
  const parts = typeof message.content === 'string' ? [message.content] : list(message.content)
  const text = parts.map((part) => (typeof part === 'string' ? part : (part.text ?? ''))).join('\n')
  const pictures = parts.filter(({ type }) => /^(image_url|file)$/.test(type)).map(() => picture)
  const calls = list(message.tool_calls).map(
    (call): Item => ({ is: 'call', name: call.function?.name ?? call.custom?.name }),
  )
  return [{ is: speakers[message.role] ?? 'user', text }, ...pictures, ...calls]
}

const picture: Item = { is: 'picture' }
const speakers: Record<string, 'user' | 'assistant' | 'system' | 'result'> = {
  assistant: 'assistant',
  system: 'system',
  developer: 'system',
  tool: 'result',
}

const callsOf = ({ call }: Step) => {
  if (!call) return []
  const { tool, input } = call
  if (typeof input === 'string')
    return [{ id: newId('call'), type: 'custom', custom: { name: tool.name, input } }]
  const called = { name: tool.name, arguments: JSON.stringify(input) }
  return [{ id: newId('call'), type: 'function', function: called }]
}

const messageOf = (step: Step) => ({
  role: 'assistant',
  content: step.text,
  ...(step.call ? { tool_calls: callsOf(step) } : {}),
})

const reasonOf = ({ call }: Step): string => (call ? 'tool_calls' : 'stop')
