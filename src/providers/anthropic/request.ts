import { argumentsOf, splitSystem, type Turn } from '#providers/conversation.ts'
import { toBase64 } from '#providers/media-encoding.ts'
import type { ContentPart, TextRequest } from '#providers/provider.ts'
import type { Block, MessagesBody } from './wire.ts'

/** The API has no default of its own. */
const defaultMaxTokens = 4096
const jsonHint = 'Answer with one valid JSON value and nothing else: no explanation, no code fence.'

export function messagesBody(request: TextRequest): MessagesBody {
  const { system, turns } = splitSystem(request, { jsonHint })
  const body: MessagesBody = {
    model: request.model,
    max_tokens: request.maxTokens ?? defaultMaxTokens,
    messages: turns.map(message),
  }
  if (system !== undefined) body.system = system
  if (request.temperature !== undefined) body.temperature = request.temperature
  if (request.topP !== undefined) body.top_p = request.topP
  if (request.stop !== undefined) body.stop_sequences = request.stop
  return { ...body, ...toolsOf(request, turns) }
}

function message(turn: Turn): MessagesBody['messages'][number] {
  if (turn.role === 'results') {
    const content = turn.results.map(
      (result): Block => ({
        type: 'tool_result',
        tool_use_id: result.toolCallId,
        content: result.content,
      }),
    )
    return { role: 'user', content }
  }
  const { role, content } = turn
  const calls = turn.role === 'assistant' ? turn.toolCalls : []
  if (calls.length === 0) {
    return { role, content: typeof content === 'string' ? content : content.map(block) }
  }
  const said = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  const blocks = said.filter((part) => part.type !== 'text' || part.text !== '').map(block)
  const uses = calls.map(
    (call): Block => ({ type: 'tool_use', id: call.id, name: call.name, input: argumentsOf(call) }),
  )
  return { role, content: [...blocks, ...uses] }
}

const block = (part: ContentPart): Block =>
  part.type === 'text'
    ? { type: 'text', text: part.text }
    : {
        type: 'image',
        source: { type: 'base64', media_type: part.media.mimeType, data: toBase64(part.media) },
      }

const anything = { type: 'object' }

function toolsOf(
  { tools = [], toolChoice = 'auto', parallelToolCalls }: TextRequest,
  turns: Turn[],
): Pick<MessagesBody, 'tools' | 'tool_choice'> {
  if (tools.length > 0) {
    const one = parallelToolCalls === false ? { disable_parallel_tool_use: true as const } : {}
    return {
      tools: tools.map(({ name, description, parameters }) => ({
        name,
        ...(description === undefined ? {} : { description }),
        input_schema: { type: 'object', ...parameters },
      })),
      tool_choice:
        typeof toolChoice === 'object'
          ? { type: 'tool', name: toolChoice.name, ...one }
          : toolChoice === 'none'
            ? { type: 'none' }
            : { type: toolChoice === 'required' ? 'any' : 'auto', ...one },
    }
  }
  // A conversation with calls in it is refused unless their functions are declared.
  const called = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.toolCalls : []))
  if (called.length === 0) return {}
  const names = [...new Set(called.map(({ name }) => name))]
  return {
    tools: names.map((name) => ({ name, input_schema: anything })),
    tool_choice: { type: 'none' },
  }
}
