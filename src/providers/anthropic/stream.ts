import { isRecord } from '#core/record.ts'
import { type Json, parseJson, textOf } from '#providers/json-shape.ts'
import type { ProviderError, TextDelta } from '#providers/provider.ts'
import { protocolError } from '#providers/refusal.ts'
import { brokenStream, type StreamReader } from '#providers/streamed-text.ts'
import type { Answer, Upstream } from '#providers/upstream.ts'
import { endOf, kindOf, messageUsage, refusal } from './response.ts'
import { isHosted, type MessageEnd, thoughtIn } from './wire.ts'

export const refusedStream = (upstream: Upstream, answer: Answer) =>
  answer.status === 200
    ? protocolError(upstream, answer, 'not a stream of events')
    : refusal(upstream, answer)

const record = (value: unknown): Json => (isRecord(value) ? value : {})

export function messageStream(upstream: Upstream, answer: Answer): StreamReader {
  const calls = callReader(upstream, answer)
  const usageDelta = usageReader()
  const thought = thoughtReader()
  const hosted = hostedReader()
  const end: MessageEnd = {}
  let isOver = false

  function beginBlock(event: Json): TextDelta[] {
    const block = record(event.content_block)
    if (block.type === 'text') return textDelta(block.text)
    if (isHosted(block)) return hosted.begin(block)
    return block.type === 'tool_use' ? calls.begin(event.index, block) : thought.begin(block)
  }

  function blockDelta(event: Json): TextDelta[] {
    const delta = record(event.delta)
    if (delta.type === 'text_delta') return textDelta(delta.text)
    if (delta.type === 'citations_delta') return [{ type: 'hosted', form, item: delta }]
    return calls.add(event.index, delta) ?? hosted.add(delta) ?? thought.add(delta)
  }

  function noteEnd({ stop_reason, stop_sequence, stop_details }: MessageEnd): void {
    end.stop_reason = stop_reason ?? end.stop_reason
    end.stop_sequence = stop_sequence ?? end.stop_sequence
    end.stop_details = stop_details ?? end.stop_details
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
          return [...calls.end(event.index), ...hosted.end(), ...thought.end()]
        case 'message_delta':
          noteEnd(record(event.delta))
          return usageDelta(event.usage)
        case 'message_stop':
          isOver = true
          return []
        case 'error':
          throw errorOf(upstream, record(event.error))
        default:
          return working
      }
    },
    end: () => (isOver ? endOf(end) : undefined),
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

/** A sign of life, as the pings of the stream are. */
const working: TextDelta[] = [{ type: 'working' }]

const form = 'anthropic'

/** The API numbers all blocks, including text and thoughts; we number the calls separately. */
function callReader(upstream: Upstream, answer: Answer) {
  const calls = new Map<unknown, { index: number; input: unknown; hasArguments: boolean }>()
  return {
    begin(at: unknown, block: Json): TextDelta[] {
      const [id, name] = [textOf(block.id), textOf(block.name)]
      if (id === undefined || name === undefined) {
        throw protocolError(upstream, answer, 'a function call that cannot be read')
      }
      const index = calls.size
      calls.set(at, { index, input: block.input, hasArguments: false })
      return [{ type: 'tool_call', index, id, name }]
    },
    /** Undefined if it is no part of a call. */
    add(at: unknown, { type, partial_json }: Json): TextDelta[] | undefined {
      const call = calls.get(at)
      const text = textOf(partial_json)
      if (type !== 'input_json_delta' || !call || text === undefined) return undefined
      call.hasArguments = true
      return [{ type: 'tool_arguments', index: call.index, text }]
    },
    /** A call without arguments comes with no JSON, or with an empty piece; callers expect `{}`. */
    end(at: unknown): TextDelta[] {
      const call = calls.get(at)
      if (!call || call.hasArguments) return []
      call.hasArguments = true
      return [{ type: 'tool_arguments', index: call.index, text: JSON.stringify(call.input ?? {}) }]
    },
  }
}

/** A search and its results are passed on once they are whole. */
function hostedReader() {
  let open: Json | undefined
  let written = ''
  return {
    begin(block: Json): TextDelta[] {
      open = block
      written = ''
      return working
    },
    /** Undefined if no such block is open. */
    add({ partial_json }: Json): TextDelta[] | undefined {
      if (!open) return undefined
      written += textOf(partial_json) ?? ''
      return working
    },
    end(): TextDelta[] {
      if (!open) return []
      const item = written === '' ? open : { ...open, input: parseJson(written) ?? {} }
      open = undefined
      return [{ type: 'hosted', form, item }]
    },
  }
}

/** Passes the words of a thought on as they arrive; its signature comes last. */
function thoughtReader() {
  let open: Json = {}
  const said = (words: unknown): TextDelta[] => {
    const text = textOf(words)
    return text ? [{ type: 'thought', text }] : working
  }
  return {
    begin(block: Json): TextDelta[] {
      open = { ...block, thinking: '' }
      return said(block.thinking)
    },
    add(delta: Json): TextDelta[] {
      const more = textOf(delta.signature) ?? ''
      if (delta.type === 'signature_delta') open.signature = (textOf(open.signature) ?? '') + more
      return said(delta.thinking)
    },
    end(): TextDelta[] {
      const ended = thoughtIn(open)
      open = {}
      return ended ? [{ type: 'thought', ...ended }] : []
    },
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
