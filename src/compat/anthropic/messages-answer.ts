import type { GeneratedText } from '#core/generation.ts'
import { prefixed } from '#core/ids.ts'
import type { Thought, ToolCall } from '#core/text-stream.ts'
import type { Usage } from '#core/usage.ts'
import { argumentsOf } from '../call-arguments.ts'

export type Begin = Pick<GeneratedText, 'id' | 'modelId'> & { inputTokens?: number }
export type End = Pick<GeneratedText, 'finish' | 'endCause' | 'usage' | 'costMicros'>

export type Block =
  | { type: 'text'; text: string; citations: null }
  | { type: 'thinking'; thinking: string; signature: string }
  /** Opaque: clients send blocks of this type back unread. */
  | { type: 'redacted_thinking'; data: string }
  | HostedBlock
  | { type: 'tool_use'; id: string; name: string; input: unknown; caller: { type: 'direct' } }

/** A search that the vendor made, or what it found. */
export type HostedBlock = { type: string } & Record<string, unknown>

export const textBlock = (text: string): Block => ({ type: 'text', text, citations: null })

export const sealedBlock = (data: string): Block => ({ type: 'redacted_thinking', data })

/** A thought that its vendor does not show in words has only a signature. */
export const thoughtBlock = ({ text, signature = '' }: Thought): Block =>
  isSealed(signature) ? sealedBlock(signature) : { type: 'thinking', thinking: text, signature }

/** The vendor itself sent it as opaque data. */
export const isSealed = (signature: string): boolean => signature.startsWith('anthropic-redacted.')

export const useBlock = ({ id, name }: Pick<ToolCall, 'id' | 'name'>, input: unknown): Block => ({
  type: 'tool_use',
  id,
  name,
  input,
  caller: { type: 'direct' },
})

export const messageOf = (generated: GeneratedText): object => ({
  ...begunMessage(generated),
  content: blocksOf(generated),
  ...endingOf(generated, (generated.toolCalls?.length ?? 0) > 0),
  usage: usageOf(generated),
})

/** The message as a stream begins: without content; its input is estimated. */
export const begunMessage = ({ id, modelId, inputTokens = 0 }: Begin) => ({
  id: prefixed('msg_', id),
  type: 'message',
  role: 'assistant',
  model: modelId,
  content: [] as Block[],
  container: null,
  diagnostics: null,
  stop_reason: null,
  stop_sequence: null,
  stop_details: null,
  usage: tokensOf({ inputTokens, outputTokens: 0 }),
})

function blocksOf({ text, thoughts = [], toolCalls = [], hosted }: GeneratedText): Block[] {
  if (hosted?.[0]?.form === 'anthropic') return hosted.map(({ item }) => item as HostedBlock)
  const blocks = thoughts.map(thoughtBlock)
  if (text !== '') blocks.push(textBlock(text))
  for (const call of toolCalls) {
    if (call.signature !== undefined) blocks.push(sealedBlock(call.signature))
    blocks.push(useBlock(call, argumentsOf(call)))
  }
  return blocks
}

export function endingOf({ finish, endCause }: End, hasCalls: boolean) {
  if (endCause === 'pause') return { stop_reason: 'pause_turn', stop_sequence: null }
  if (endCause) return { stop_reason: 'stop_sequence', stop_sequence: endCause.stopSequence }
  const stop_reason = finish === 'length' ? 'max_tokens' : hasCalls ? 'tool_use' : 'end_turn'
  return { stop_reason, stop_sequence: null }
}

/** `cost` (in US dollars) is our addition to Anthropic's format; null if no price is known. */
export const usageOf = ({ usage, costMicros }: End) => ({
  ...tokensOf(usage),
  cost: costMicros === null ? null : costMicros / 1e6,
})

/** Their `input_tokens` excludes cache reads and writes; ours is the whole input. */
function tokensOf(usage: Usage) {
  const { cachedInputTokens = 0, cacheWriteTokens = 0, cacheWrite1hTokens = 0 } = usage
  return {
    input_tokens: Math.max(0, usage.inputTokens - cachedInputTokens - cacheWriteTokens),
    output_tokens: usage.outputTokens,
    cache_read_input_tokens: cachedInputTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: cacheWriteTokens - cacheWrite1hTokens,
      ephemeral_1h_input_tokens: cacheWrite1hTokens,
    },
    output_tokens_details: { thinking_tokens: usage.reasoningTokens ?? 0 },
    server_tool_use: usage.searches
      ? { web_search_requests: usage.searches, web_fetch_requests: 0 }
      : null,
    service_tier: 'standard',
    inference_geo: null,
    speed: null,
  }
}
