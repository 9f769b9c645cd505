// The events of a streamed message. Blocks follow one another, each with start, deltas and stop.
// Thoughts, text and the first call are passed on as they arrive. Everything after them is written once the
// answer is complete, because a model may interleave the arguments of several calls.
import type { StreamEvent } from '#core/generation.ts'
import type { Hosted, Thought } from '#core/text-stream.ts'
import {
  type Begin,
  type Block,
  begunMessage,
  type End,
  endingOf,
  type HostedBlock,
  isSealed,
  sealedBlock,
  textBlock,
  thoughtBlock,
  usageOf,
  useBlock,
} from './messages-answer.ts'

export type MessageEvent = { type: string } & Record<string, unknown>

type Call = Extract<StreamEvent, { type: 'tool_call' }> & { written: string }

/** Blocks are numbered from 0, and each is stopped before the next begins. */
function createBlocks() {
  let index = -1
  let open: Block['type'] | undefined
  function stop(): MessageEvent[] {
    if (open === undefined) return []
    open = undefined
    return [{ type: 'content_block_stop', index }]
  }
  return {
    isOpen: (type: Block['type']) => open === type,
    start(content_block: Block): MessageEvent[] {
      const events = stop()
      index++
      open = content_block.type
      return [...events, { type: 'content_block_start', index, content_block }]
    },
    delta: (delta: object): MessageEvent => ({ type: 'content_block_delta', index, delta }),
    stop,
  }
}

/** A signature ends the thought. */
function thoughtEvents(
  { isOpen, start, delta, stop }: ReturnType<typeof createBlocks>,
  { text, signature }: Thought,
): MessageEvent[] {
  if (signature !== undefined && isSealed(signature)) {
    return [...start(sealedBlock(signature)), ...stop()]
  }
  const events = isOpen('thinking') ? [] : start(thoughtBlock({ text: '' }))
  if (text !== '') events.push(delta({ type: 'thinking_delta', thinking: text }))
  if (signature === undefined) return events
  return [...events, delta({ type: 'signature_delta', signature }), ...stop()]
}

/** A search, what it found, and which of that a text is from. */
function hostedEvents(
  { isOpen, start, delta, stop }: ReturnType<typeof createBlocks>,
  { form, item }: Hosted,
): MessageEvent[] {
  if (form !== 'anthropic') return []
  if (item.type === 'citations_delta') return isOpen('text') ? [delta(item)] : []
  return [...start(item as HostedBlock), ...stop()]
}

function endEvents(end: End, hasCalls: boolean): MessageEvent[] {
  const delta = { ...endingOf(end, hasCalls), stop_details: null, container: null }
  return [{ type: 'message_delta', delta, usage: usageOf(end) }, { type: 'message_stop' }]
}

export function createEventWriter(begin: Begin) {
  const blocks = createBlocks()
  const { isOpen, start, delta, stop } = blocks
  const calls = new Map<number, Call>()
  /** Text that a model writes after its first call. */
  let later = ''

  const startCall = ({ signature, ...call }: Call): MessageEvent[] => [
    ...(signature === undefined ? [] : start(sealedBlock(signature))),
    ...start(useBlock(call, {})),
  ]

  function addText(text: string): MessageEvent[] {
    if (calls.size > 0) {
      later += text
      return []
    }
    const events = isOpen('text') ? [] : start(textBlock(''))
    return [...events, delta({ type: 'text_delta', text })]
  }

  function addCall(event: Extract<StreamEvent, { type: 'tool_call' }>): MessageEvent[] {
    const call = { ...event, written: '' }
    const isFirst = calls.size === 0
    calls.set(event.index, call)
    return isFirst ? startCall(call) : []
  }

  function addArguments(at: number, partial_json: string): MessageEvent[] {
    const call = calls.get(at)
    if (!call) return []
    call.written += partial_json
    const isFirst = calls.keys().next().value === at
    return isFirst ? [delta({ type: 'input_json_delta', partial_json })] : []
  }

  function finish(end: End): MessageEvent[] {
    const events: MessageEvent[] = []
    for (const call of [...calls.values()].slice(1)) {
      events.push(...startCall(call))
      events.push(delta({ type: 'input_json_delta', partial_json: call.written }))
    }
    if (later !== '') {
      events.push(...start(textBlock('')))
      events.push(delta({ type: 'text_delta', text: later }))
    }
    return [...events, ...stop(), ...endEvents(end, calls.size > 0)]
  }

  return (event: StreamEvent): MessageEvent[] => {
    switch (event.type) {
      case 'begin':
        return [{ type: 'message_start', message: begunMessage(begin) }]
      case 'thought':
        // Clients accept no thought after a call, and have had those that led to it.
        return calls.size > 0 ? [] : thoughtEvents(blocks, event)
      case 'hosted':
        return hostedEvents(blocks, event)
      case 'text':
        return addText(event.text)
      case 'tool_call':
        return addCall(event)
      case 'tool_arguments':
        return addArguments(event.index, event.text)
      case 'end':
        return finish(event)
      default:
        return event satisfies never
    }
  }
}
