// The events of a streamed answer of the Responses API. Each item is announced, filled and closed:
//
//   created ─ in_progress ─ item added ─ deltas ─ item done ─ … ─ completed | incomplete
//
// Text is closed when a call begins. Calls stay open until the end, because a model may interleave
// the arguments of several calls.
import type { StreamEvent } from '#core/generation.ts'
import type { Logprob } from '#core/text-stream.ts'
import {
  type Begin,
  begunResponse,
  type CallItem,
  callItem,
  type End,
  endedResponse,
  type Item,
  itemIds,
  messageItem,
  textPart,
  thoughtItem,
} from './responses-answer.ts'

export type ResponseEvent = { type: string } & Record<string, unknown>

type Words = { id: string; output_index: number; text: string; logprobs: Logprob[] }
type OpenCall = { item: CallItem; output_index: number }

export function createEventWriter(begin: Begin, echo: object) {
  const output = { items: [] as Item[], ids: itemIds(begin) }
  const words = createWords(output)
  const calls = createCalls(output)
  let sequence = 0
  const numbered = (events: ResponseEvent[]): ResponseEvent[] =>
    events.map((event) => ({ ...event, sequence_number: sequence++ }))

  function finish(end: End): ResponseEvent[] {
    const status = end.finish === 'stop' ? 'completed' : 'incomplete'
    const opened = output.items.length === 0 ? words.open() : []
    const closed = [...opened, ...words.close(status), ...calls.close(status)]
    const response = endedResponse(begin, end, output.items, echo)
    return [...closed, { type: `response.${status}`, response }]
  }

  return (event: StreamEvent): ResponseEvent[] => {
    switch (event.type) {
      case 'begin': {
        const response = begunResponse(begin, echo)
        return numbered([
          { type: 'response.created', response },
          { type: 'response.in_progress', response },
        ])
      }
      case 'text':
        return numbered(words.add(event.text, event.logprobs))
      case 'tool_call':
        return numbered([...words.close('completed'), ...calls.add(event)])
      case 'tool_arguments':
        return numbered(calls.addArguments(event.index, event.text))
      case 'end':
        return numbered(finish(event))
      default:
        return event satisfies never
    }
  }
}

/** The items of an answer, by `output_index`, and their ids. */
type Output = { items: Item[]; ids: ReturnType<typeof itemIds> }
type EndStatus = 'completed' | 'incomplete'

function createWords({ items, ids }: Output) {
  let words: Words | undefined

  function open(): ResponseEvent[] {
    words = { id: ids.message(items.length), output_index: items.length, text: '', logprobs: [] }
    items.push(messageItem(words.id, [], 'in_progress'))
    return wordsOpened(words)
  }

  function add(text: string, logprobs: Logprob[] = []): ResponseEvent[] {
    const opened = words ? [] : open()
    if (!words) return opened
    words.text += text
    words.logprobs.push(...logprobs)
    const { id: item_id, output_index } = words
    const type = 'response.output_text.delta'
    return [...opened, { type, item_id, output_index, content_index: 0, delta: text, logprobs }]
  }

  function close(status: EndStatus): ResponseEvent[] {
    if (!words) return []
    const { id, output_index, text, logprobs } = words
    words = undefined
    const part = textPart(text, logprobs)
    const item = messageItem(id, [part], status)
    items[output_index] = item
    return wordsClosed(item, part, output_index)
  }

  return { open, add, close }
}

function createCalls({ items, ids }: Output) {
  const calls = new Map<number, OpenCall>()

  function add(event: Extract<StreamEvent, { type: 'tool_call' }>): ResponseEvent[] {
    const events: ResponseEvent[] = []
    const { signature } = event
    if (signature !== undefined) {
      const output_index = items.length
      const item = thoughtItem(ids.thought(output_index), signature)
      items.push(item)
      events.push(added(item, output_index), done(item, output_index))
    }
    const output_index = items.length
    const item = callItem(ids.call(output_index), { ...event, arguments: '' }, 'in_progress')
    items.push(item)
    calls.set(event.index, { item, output_index })
    return [...events, added(item, output_index)]
  }

  function addArguments(index: number, delta: string): ResponseEvent[] {
    const call = calls.get(index)
    if (!call) return []
    call.item = { ...call.item, arguments: call.item.arguments + delta }
    const { item, output_index } = call
    const type = 'response.function_call_arguments.delta'
    return [{ type, item_id: item.id, output_index, delta }]
  }

  function close(status: EndStatus): ResponseEvent[] {
    return [...calls.values()].flatMap(({ item: open, output_index }) => {
      const item = { ...open, status }
      items[output_index] = item
      const type = 'response.function_call_arguments.done'
      const { id: item_id, name, arguments: written } = item
      const whole = { type, item_id, output_index, name, arguments: written }
      return [whole, done(item, output_index)]
    })
  }

  return { add, addArguments, close }
}

const added = (item: Item, output_index: number): ResponseEvent => ({
  type: 'response.output_item.added',
  output_index,
  item,
})

const done = (item: Item, output_index: number): ResponseEvent => ({
  type: 'response.output_item.done',
  output_index,
  item,
})

function wordsOpened({ id: item_id, output_index }: Words): ResponseEvent[] {
  const part = textPart('')
  return [
    added(messageItem(item_id, [], 'in_progress'), output_index),
    { type: 'response.content_part.added', item_id, output_index, content_index: 0, part },
  ]
}

function wordsClosed(
  item: Item,
  part: ReturnType<typeof textPart>,
  output_index: number,
): ResponseEvent[] {
  const at = { item_id: item.id, output_index, content_index: 0 }
  return [
    { type: 'response.output_text.done', ...at, text: part.text, logprobs: part.logprobs },
    { type: 'response.content_part.done', ...at, part },
    done(item, output_index),
  ]
}
