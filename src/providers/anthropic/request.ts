import type { CacheLifetime } from '#core/text-stream.ts'
import {
  argumentsOf,
  hasWords,
  splitSystem,
  systemText,
  type Turn,
} from '#providers/conversation.ts'
import { toBase64 } from '#providers/media-encoding.ts'
import type { Content, ContentPart, TextRequest, ToolResult } from '#providers/provider.ts'
import { unsendable } from '#providers/refusal.ts'
import { refuseOptions, refuseSearch } from '#providers/text-options.ts'
import type { Upstream } from '#providers/upstream.ts'
import {
  type Block,
  type CacheControl,
  type HostedBlock,
  type MediaBlock,
  type MessagesBody,
  type ResultBlock,
  type TextBlock,
  thoughtBlocks,
} from './wire.ts'

/** The API has no default. Thinking counts towards the limit, so it must leave room for that. */
const defaultMaxTokens = 16_384
const jsonHint = 'Answer with one valid JSON value and nothing else: no explanation, no code fence.'

export function messagesBody(upstream: Upstream, request: TextRequest): MessagesBody {
  // 1 is allowed, because every model uses it anyway.
  if ((request.temperature ?? 1) !== 1)
    throw unsendable(upstream, 'does not support a temperature other than 1')
  if ((request.topP ?? 1) !== 1) throw unsendable(upstream, 'does not support a top_p other than 1')
  refuseOptions(upstream, request)
  refuseSearch(upstream, request, 'anthropic')
  const keepsPlaces = takesInstructionsLater(request.model)
  const { system, turns } = splitSystem(request, { jsonHint, keepsPlaces })
  const body: MessagesBody = {
    model: request.model,
    max_tokens: request.maxTokens ?? defaultMaxTokens,
    messages: turns.map(message),
  }
  if (system.length > 0) body.system = systemOf(system)
  if (request.stop !== undefined) body.stop_sequences = request.stop
  const output = outputConfig(request)
  if (output) body.output_config = output
  // Models that think decide themselves how much; what is asked for is only that it be shown.
  if (request.showThoughts) body.thinking = { type: 'adaptive', display: 'summarized' }
  const isMarked = hasCacheMarks(request)
  if (!isMarked && willBeContinued(request, turns)) body.cache_control = { type: 'ephemeral' }
  return { ...body, ...toolsOf(request, turns) }
}

/** The models before these accept instructions only in front of the conversation. */
const takesInstructionsLater = (model: string): boolean =>
  !/claude-(?:instant|[123]\b|[a-z]+-4(?:-[0-7])?(?:-\d{8})?$)/.test(model)

const partsOf = (content: Content): readonly ContentPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content

function systemOf(parts: readonly ContentPart[]): MessagesBody['system'] {
  const blocks = parts.flatMap(textBlocks)
  return parts.some(({ cache }) => cache) ? blocks : systemText(parts)
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

/** A caller that marks what is to be cached knows best. */
const hasCacheMarks = ({ messages, tools = [] }: TextRequest): boolean =>
  tools.some(({ cache }) => cache) ||
  messages.some(
    (message) =>
      (typeof message.content === 'object' && message.content.some(({ cache }) => cache)) ||
      (message.role === 'assistant' && message.toolCalls?.some(({ cache }) => cache)),
  )

/**
 * If so, the request is cached, because the next one of the conversation begins the same way.
 * Reading from the cache costs a tenth, writing a quarter more. A single question is not cached.
 */
const willBeContinued = ({ tools = [] }: TextRequest, turns: Turn[]): boolean =>
  tools.length > 0 || turns.some(({ role }) => role === 'assistant')

function message(turn: Turn): MessagesBody['messages'][number] {
  switch (turn.role) {
    case 'results':
      return { role: 'user', content: turn.results.map(resultBlock) }
    case 'system':
      return { role: 'system', content: turn.content.flatMap(textBlocks) }
    case 'user':
      return { role: 'user', content: contentOf(turn.content) }
    case 'assistant': {
      const thoughts = turn.thoughts.flatMap(thoughtBlocks)
      const { content, toolCalls } = turn
      if (thoughts.length + toolCalls.length === 0) {
        return { role: 'assistant', content: contentOf(content) }
      }
      const blocks = partsOf(content).filter(hasWords).map(block)
      const uses = toolCalls.map(
        (call): Block => ({
          type: 'tool_use',
          id: call.id,
          name: call.name,
          input: argumentsOf(call),
          ...cacheOf(call.cache),
        }),
      )
      return { role: 'assistant', content: [...thoughts, ...blocks, ...uses] }
    }
    default:
      return turn satisfies never
  }
}

const contentOf = (content: Content) =>
  typeof content === 'string' ? content : content.filter(hasWords).map(block)

const resultBlock = ({ toolCallId, content, isError }: ToolResult): ResultBlock => ({
  type: 'tool_result',
  tool_use_id: toolCallId,
  content: contentOf(content),
  ...(isError ? { is_error: true as const } : {}),
  ...cacheOf(markBehindNothing(content)),
})

/** A result without words is marked itself: there is no text that could be. */
const markBehindNothing = (content: Content): CacheLifetime | undefined => {
  const last = partsOf(content).at(-1)
  return last && !hasWords(last) ? last.cache : undefined
}

const cacheOf = (cache: CacheLifetime | undefined): { cache_control?: CacheControl } =>
  cache === undefined
    ? {}
    : { cache_control: { type: 'ephemeral', ...(cache === '1h' ? { ttl: '1h' as const } : {}) } }

const textBlocks = (part: ContentPart): TextBlock[] =>
  part.type === 'text' ? [{ type: 'text', text: part.text, ...cacheOf(part.cache) }] : []

function block(part: ContentPart): TextBlock | MediaBlock | HostedBlock {
  if (part.type === 'text' && part.hosted?.form === 'anthropic') return part.hosted.item
  if (part.type === 'text') return { type: 'text', text: part.text, ...cacheOf(part.cache) }
  const { media, cache } = part
  const source = { type: 'base64' as const, media_type: media.mimeType, data: toBase64(media) }
  if (part.type === 'image') return { type: 'image', source, ...cacheOf(cache) }
  const title = part.name === undefined ? {} : { title: part.name }
  return { type: 'document', source, ...title, ...cacheOf(cache) }
}

const anything = { type: 'object' }

function toolsOf(
  { tools = [], webSearch, toolChoice = 'auto', parallelToolCalls }: TextRequest,
  turns: Turn[],
): Pick<MessagesBody, 'tools' | 'tool_choice'> {
  const declared: MessagesBody['tools'] = tools.map(
    ({ name, description, parameters, strict, cache }) => ({
      name,
      ...(description === undefined ? {} : { description }),
      input_schema: { type: 'object', ...parameters },
      ...(strict === undefined ? {} : { strict }),
      ...cacheOf(cache),
    }),
  )
  if (webSearch) declared.push({ ...webSearch.tool, max_uses: webSearch.most })
  if (declared.length > 0) {
    const one = parallelToolCalls === false ? { disable_parallel_tool_use: true as const } : {}
    return {
      tools: declared,
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
