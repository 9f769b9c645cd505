import { isRecord } from '#core/record.ts'
import { type Json, textOf } from '#providers/json-shape.ts'
import type { ProviderError, TextDelta } from '#providers/provider.ts'
import { protocolError } from '#providers/refusal.ts'
import { sign } from '#providers/signatures.ts'
import { brokenStream, type StreamReader } from '#providers/streamed-text.ts'
import type { Answer, Upstream } from '#providers/upstream.ts'
import { endOf, kindOf, messageUsage, refusal } from './response.ts'
import { isThought, type Thought, toThought } from './wire.ts'

export const refusedStream = (upstream: Upstream, answer: Answer) =>
  answer.status === 200
    ? protocolError(upstream, answer, 'not a stream of events')
    : refusal(upstream, answer)

const record = (value: unknown): Json => (isRecord(value) ? value : {})

/** The API numbers all blocks, including text and thoughts; we number the calls separately. */
export function messageStream(upstream: Upstream, answer: Answer): StreamReader {
  const calls = new Map<unknown, number>()
  const usageDelta = usageReader()
  const thoughts: Thought[] = []
  let thought: Json = {}
  let reason: unknown
  let details: unknown
  let isOver = false

  function beginBlock(event: Json): TextDelta[] {
    const block = record(event.content_block)
    if (block.type === 'text') return textDelta(block.text)
    thought = block
    if (block.type !== 'tool_use') return []
    const [id, name] = [textOf(block.id), textOf(block.name)]
    if (id === undefined || name === undefined) {
      throw protocolError(upstream, answer, 'a function call that cannot be read')
    }
    const index = calls.size
    calls.set(event.index, index)
    const signature = index === 0 ? sign('anthropic', thoughts) : undefined
    return [{ type: 'tool_call', index, id, name, ...(signature ? { signature } : {}) }]
  }

  function blockDelta(event: Json): TextDelta[] {
    const delta = record(event.delta)
    if (delta.type === 'text_delta') return textDelta(delta.text)
    if (delta.type === 'thinking_delta') thought.thinking += textOf(delta.thinking) ?? ''
    if (delta.type === 'signature_delta') thought.signature += textOf(delta.signature) ?? ''
    const index = calls.get(event.index)
    const text = textOf(delta.partial_json)
    if (delta.type !== 'input_json_delta' || index === undefined || text === undefined) return []
    return [{ type: 'tool_arguments', index, text }]
  }

  return {
    read(event) {
      switch (event.type) {
        case 'message_start':
          return usageDelta(record(event.message).usage)
        case 'content_block_start':
          return beginBlock(event)
        case 'content_block_delta':
          return blockDelta(event)
        case 'content_block_stop':
          if (isThought(thought)) thoughts.push(toThought(thought))
          thought = {}
          return []
        case 'message_delta':
          reason = record(event.delta).stop_reason ?? reason
          details = record(event.delta).stop_details ?? details
          return usageDelta(event.usage)
        case 'message_stop':
          isOver = true
          return []
        case 'error':
          throw errorOf(upstream, record(event.error))
        default:
          return []
      }
    },
    end: () => (isOver ? endOf(reason, details) : undefined),
  }
}

/** The end of a stream repeats some counts of its beginning; others are missing there or null. */
function usageReader() {
  const usage: Json = {}
  return (given: unknown): TextDelta[] => {
    if (!isRecord(given)) return []
    for (const [name, count] of Object.entries(given)) if (count !== null) usage[name] = count
    const known = messageUsage(usage)
    return known ? [{ type: 'usage', usage: known }] : []
  }
}

function textDelta(given: unknown): TextDelta[] {
  const text = textOf(given)
  return text === undefined ? [] : [{ type: 'text', text }]
}

function errorOf(upstream: Upstream, { type, message: given }: Json): ProviderError {
  const message = textOf(given) ?? 'the stream broke off'
  return brokenStream(upstream, { kind: kindOf(type, message) ?? 'server', message })
}
