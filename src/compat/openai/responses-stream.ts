// The events of a streamed answer of the Responses API. Each item is announced, filled and closed:
//
//   created ─ in_progress ─ item added ─ deltas ─ item done ─ … ─ completed | incomplete | failed
//
// Text is closed when a call begins. Calls stay open until the end, because a model may interleave
// the arguments of several calls.
import type { Failure } from '#core/errors.ts'
import type { StreamEvent } from '#core/generation.ts'
import type { Hosted, Logprob, Thought, ToolCall } from '#core/text-stream.ts'
import { errorAnswer } from './error-answer.ts'
import {
  type Begin,
  begunResponse,
  type CallItem,
  callItem,
  type End,
  endedResponse,
  failedResponse,
  type Item,
  itemIds,
  messageItem,
  searchItem,
  textPart,
  thoughtItem,
} from './responses-answer.ts'
import { noForms, type ToolForms } from './tool-forms.ts'

export type ResponseEvent = { type: string } & Record<string, unknown>

type Words = {
  id: string
  output_index: number
  text: string
  logprobs: Logprob[]
  annotations: object[]
}
type OpenCall = { id: string; call: ToolCall; output_index: number; item: CallItem }

export function createEventWriter(begin: Begin, echo: object, forms: ToolForms = noForms) {
  const output = { items: [] as Item[], ids: itemIds(begin) }
  const thoughts = createThoughts(output)
  const words = createWords(output)
  const calls = createCalls(output, forms)

  /** A search is an item of its own; what else comes says which of the words it found. */
  function addHosted({ form, item: given }: Hosted): ResponseEvent[] {
    if (form !== 'openai') return []
    if (given.type !== 'web_search_call') return words.annotate(given)
    const closed = [...thoughts.close(), ...words.close('completed')]
    const output_index = output.items.length
    const item = searchItem(output.ids.search(output_index), given)
    output.items.push(item)
    return [...closed, added(item, output_index), done(item, output_index)]
  }

  function finish(end: End): ResponseEvent[] {
    const status = end.finish === 'stop' ? 'completed' : 'incomplete'
    const ended = thoughts.close()
    const isSilent = output.items.every(({ type }) => /^(reasoning|web_search_call)$/.test(type))
    const opened = isSilent ? words.open() : []
    const closed = [...ended, ...opened, ...words.close(status), ...calls.close(status)]
    const response = endedResponse(begin, end, output.items, echo)
    return [...closed, { type: `response.${status}`, response }]
  }

  return (event: StreamEvent): ResponseEvent[] => {
    switch (event.type) {
      case 'begin': {
        const response = begunResponse(begin, echo)
        return [
          { type: 'response.created', response },
          { type: 'response.in_progress', response },
        ]
      }
      case 'hosted':
        return addHosted(event)
      case 'thought':
        return thoughts.add(event)
      case 'text':
        return [...thoughts.close(), ...words.add(event.text, event.logprobs)]
      case 'tool_call':
        return [...thoughts.close(), ...words.close('completed'), ...calls.add(event)]
      case 'tool_arguments':
        return calls.addArguments(event.index, event.text)
      case 'end':
        return finish(event)
      default:
        return event satisfies never
    }
  }
}

/** The end of a stream that broke off. OpenAI's clients read the first, and agents only the second. */
export const brokenEvents = (begin: Begin, echo: object, failure: Failure): ResponseEvent[] => [
  { ...errorAnswer(failure).error, type: 'error' },
  { type: 'response.failed', response: failedResponse(begin, echo, failure) },
]

/** The items of an answer, by `output_index`, and their ids. */
type Output = { items: Item[]; ids: ReturnType<typeof itemIds> }
type EndStatus = 'completed' | 'incomplete'

/** The words of a thought are its summary. A signature ends it, and so does what follows. */
function createThoughts({ items, ids }: Output) {
  let open: { id: string; output_index: number; text: string } | undefined

  function begin(): ResponseEvent[] {
    open = { id: ids.thought(items.length), output_index: items.length, text: '' }
    const item = thoughtItem(open.id, { text: '' })
    items.push(item)
    return [added(item, open.output_index)]
  }

  function say(delta: string): ResponseEvent[] {
    if (!open || delta === '') return []
    const at = { item_id: open.id, output_index: open.output_index, summary_index: 0 }
    const part = { type: 'summary_text', text: '' }
    const opened = open.text === '' ? [{ ...at, type: `${summary}_part.added`, part }] : []
    open.text += delta
    return [...opened, { ...at, type: `${summary}_text.delta`, delta }]
  }

  function close(signature?: string): ResponseEvent[] {
    if (!open) return []
    const { id, output_index, text } = open
    open = undefined
    const item = thoughtItem(id, { text, ...(signature === undefined ? {} : { signature }) })
    items[output_index] = item
    const at = { item_id: id, output_index, summary_index: 0 }
    const part = { type: 'summary_text', text }
    const said = [
      { ...at, type: `${summary}_text.done`, text },
      { ...at, type: `${summary}_part.done`, part },
    ]
    return [...(text === '' ? [] : said), done(item, output_index)]
  }

  return {
    close: () => close(),
    add({ text, signature }: Thought): ResponseEvent[] {
      const opened = open ? [] : begin()
      const events = [...opened, ...say(text)]
      return signature === undefined ? events : [...events, ...close(signature)]
    },
  }
}

const summary = 'response.reasoning_summary'

function createWords({ items, ids }: Output) {
  let words: Words | undefined

  function open(): ResponseEvent[] {
    const output_index = items.length
    words = { id: ids.message(output_index), output_index, text: '', logprobs: [], annotations: [] }
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
    const { id, output_index, text, logprobs, annotations } = words
    words = undefined
    const part = textPart(text, logprobs, annotations)
    const item = messageItem(id, [part], status)
    items[output_index] = item
    return wordsClosed(item, part, output_index)
  }

  function annotate(annotation: object): ResponseEvent[] {
    if (!words) return []
    const { id: item_id, output_index, annotations } = words
    const at = { item_id, output_index, content_index: 0, annotation_index: annotations.length }
    annotations.push(annotation)
    return [{ type: 'response.output_text.annotation.added', ...at, annotation }]
  }

  return { open, add, annotate, close }
}

/** Only the arguments of functions come in pieces: other forms are known once they are whole. */
function createCalls({ items, ids }: Output, forms: ToolForms) {
  const calls = new Map<number, OpenCall>()

  function add(event: Extract<StreamEvent, { type: 'tool_call' }>): ResponseEvent[] {
    const events: ResponseEvent[] = []
    const { signature } = event
    if (signature !== undefined) {
      const output_index = items.length
      const item = thoughtItem(ids.thought(output_index), { text: '', signature })
      items.push(item)
      events.push(added(item, output_index), done(item, output_index))
    }
    const output_index = items.length
    const id = ids.call(output_index)
    const call = { id: event.id, name: event.name, arguments: '' }
    const item = callItem(id, call, 'in_progress', forms)
    items.push(item)
    calls.set(event.index, { id, call, output_index, item })
    return [...events, added(item, output_index)]
  }

  function addArguments(index: number, delta: string): ResponseEvent[] {
    const open = calls.get(index)
    if (!open) return []
    open.call.arguments += delta
    if (open.item.type !== 'function_call') return []
    const { id: item_id, output_index } = open
    return [{ type: 'response.function_call_arguments.delta', item_id, output_index, delta }]
  }

  function close(status: EndStatus): ResponseEvent[] {
    return [...calls.values()].flatMap(({ id, call, output_index }) => {
      const item = callItem(id, call, status, forms)
      items[output_index] = item
      return [...wholeOf(item, output_index), done(item, output_index)]
    })
  }

  return { add, addArguments, close }
}

function wholeOf(item: CallItem, output_index: number): ResponseEvent[] {
  const at = { item_id: item.id, output_index }
  if (item.type === 'tool_search_call') return []
  if (item.type === 'custom_tool_call') {
    const { input } = item
    const type = 'response.custom_tool_call_input'
    return [
      { type: `${type}.delta`, ...at, delta: input },
      { type: `${type}.done`, ...at, input },
    ]
  }
  const { name, arguments: written } = item
  return [{ type: 'response.function_call_arguments.done', ...at, name, arguments: written }]
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
