import { argumentsOf, splitSystem, type Turn } from '#providers/conversation.ts'
import { toBase64 } from '#providers/media-encoding.ts'
import type { ContentPart, TextRequest } from '#providers/provider.ts'
import { unsendable } from '#providers/refusal.ts'
import { readSigned } from '#providers/signatures.ts'
import { refuseOptions } from '#providers/text-options.ts'
import type { Upstream } from '#providers/upstream.ts'
import { type Block, isThought, type MessagesBody } from './wire.ts'

/** The API has no default. Thinking counts towards the limit, so it must leave room for that. */
const defaultMaxTokens = 16_384
const jsonHint = 'Answer with one valid JSON value and nothing else: no explanation, no code fence.'

export function messagesBody(upstream: Upstream, request: TextRequest): MessagesBody {
  // 1 is allowed, because every model uses it anyway.
  if ((request.temperature ?? 1) !== 1)
    throw unsendable(upstream, 'does not support a temperature other than 1')
  if ((request.topP ?? 1) !== 1) throw unsendable(upstream, 'does not support a top_p other than 1')
  refuseOptions(upstream, request)
  const { system, turns } = splitSystem(request, { jsonHint })
  const body: MessagesBody = {
    model: request.model,
    max_tokens: request.maxTokens ?? defaultMaxTokens,
    messages: turns.map(message),
  }
  if (system !== undefined) body.system = system
  if (request.stop !== undefined) body.stop_sequences = request.stop
  const output = outputConfig(request)
  if (output) body.output_config = output
  if (willBeContinued(request, turns)) body.cache_control = { type: 'ephemeral' }
  return { ...body, ...toolsOf(request, turns) }
}

function outputConfig({ jsonSchema, reasoningEffort }: TextRequest) {
  if (!jsonSchema && reasoningEffort === undefined) return undefined
  return {
    ...(reasoningEffort === undefined ? {} : { effort: reasoningEffort }),
    ...(jsonSchema
      ? { format: { type: 'json_schema' as const, schema: { ...jsonSchema.schema } } }
      : {}),
  }
}

/**
 * If so, the request is cached, because the next one of the conversation begins the same way.
 * Reading from the cache costs a tenth, writing a quarter more. A single question is not cached.
 */
const willBeContinued = ({ tools = [] }: TextRequest, turns: Turn[]): boolean =>
  tools.length > 0 || turns.some(({ role }) => role === 'assistant')

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
  return {
    role,
    content: [...readSigned('anthropic', calls).filter(isThought), ...blocks, ...uses],
  }
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
      tools: tools.map(({ name, description, parameters, strict }) => ({
        name,
        ...(description === undefined ? {} : { description }),
        input_schema: { type: 'object', ...parameters },
        ...(strict === undefined ? {} : { strict }),
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
