import { isRecord } from '#core/record.ts'
import type { ProviderEnd, Thought, ToolCall } from '#core/text-stream.ts'
import { type Usage, usageOf } from '#core/usage.ts'
import { answeringModel } from '#providers/answering-model.ts'
import { countOf, parseJson, textOf } from '#providers/json-shape.ts'
import type { ProviderError, ProviderErrorKind, TextResult } from '#providers/provider.ts'
import { protocolError, refusalError } from '#providers/refusal.ts'
import type { Answer, Upstream } from '#providers/upstream.ts'
import { hostedItem, isHosted, isMessage, type MessageEnd, thoughtIn } from './wire.ts'

export function readMessage(upstream: Upstream, answer: Answer): TextResult {
  if (answer.status !== 200) throw refusal(upstream, answer)
  const json = parseJson(answer.body)
  if (!isMessage(json)) throw protocolError(upstream, answer, 'not a message')
  let text = ''
  const toolCalls: ToolCall[] = []
  const thoughts: Thought[] = []
  for (const part of json.content) {
    if (part.type === 'text') text += textOf(part.text) ?? ''
    const [id, name] = [textOf(part.id), textOf(part.name)]
    const thought = thoughtIn(part)
    if (thought) thoughts.push(thought)
    if (part.type !== 'tool_use' || id === undefined || name === undefined) continue
    toolCalls.push({ id, name, arguments: JSON.stringify(part.input ?? {}) })
  }
  const hosted = json.content.some(isHosted) ? json.content.map(hostedItem) : undefined
  return {
    text,
    ...(thoughts.length > 0 ? { thoughts } : {}),
    ...(hosted ? { hosted } : {}),
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...endOf(json),
    usage: messageUsage(json.usage),
    requestId: textOf(answer.headers['request-id']) ?? textOf(json.id) ?? null,
    ...answeringModel(json),
  }
}

const cutReasons: ReadonlySet<unknown> = new Set(['max_tokens', 'model_context_window_exceeded'])

export function endOf({ stop_reason, stop_sequence, stop_details }: MessageEnd): ProviderEnd {
  // The vendor's own tools took too long, and the rest follows on request.
  if (stop_reason === 'pause_turn') return { finish: 'length', endCause: 'pause' }
  if (cutReasons.has(stop_reason)) return { finish: 'length' }
  const stopSequence = textOf(stop_sequence)
  if (stop_reason === 'stop_sequence' && stopSequence !== undefined)
    return { finish: 'stop', endCause: { stopSequence } }
  if (stop_reason !== 'refusal') return { finish: 'stop' }
  const { explanation, category } = isRecord(stop_details) ? stop_details : {}
  const why = [textOf(explanation), textOf(category) && `(${category})`].filter(Boolean).join(' ')
  return { finish: 'content_filter', ...(why === '' ? {} : { refusal: why }) }
}

/** Their `input_tokens` excludes cache reads and writes; ours is the whole input. */
export function messageUsage(usage: unknown): Usage | null {
  if (!isRecord(usage)) return null
  const cached = countOf(usage.cache_read_input_tokens)
  const written = countOf(usage.cache_creation_input_tokens)
  const lifetimes = isRecord(usage.cache_creation) ? usage.cache_creation : {}
  const output = isRecord(usage.output_tokens_details) ? usage.output_tokens_details : {}
  const whole = countOf(usage.input_tokens) + cached + written
  const hosted = isRecord(usage.server_tool_use) ? usage.server_tool_use : {}
  const searches = countOf(hosted.web_search_requests)
  const tokens = usageOf(whole, countOf(usage.output_tokens), {
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    cacheWrite1hTokens: countOf(lifetimes.ephemeral_1h_input_tokens),
    reasoningTokens: countOf(output.thinking_tokens),
  })
  return searches > 0 ? { ...tokens, searches } : tokens
}

export function refusal(upstream: Upstream, answer: Answer): ProviderError {
  const json = parseJson(answer.body)
  const error = isRecord(json) && isRecord(json.error) ? json.error : {}
  const message = textOf(error.message)
  return refusalError(upstream, answer, {
    message,
    kind: kindOf(error.type, message ?? ''),
    rejectedWhenBusy: error.type === 'overloaded_error',
    isSynchronous: true,
  })
}

export function kindOf(type: unknown, message: string): ProviderErrorKind | undefined {
  // A lack of credit is reported as an invalid request; only the message tells them apart.
  if (/credit balance is too low/i.test(message)) return 'auth'
  if (/content filtering policy/i.test(message)) return 'content'
  if (type === 'overloaded_error' || type === 'rate_limit_error') return 'busy'
  return type === 'timeout_error' ? 'timeout' : undefined
}
