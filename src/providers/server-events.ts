// Reads a stream of server-sent events from chunks that may be cut anywhere. Never holds more than
// one unfinished event, and that only up to a limit.
import { createParser } from 'eventsource-parser'

export type ServerEvent = { event: string; data: string }

/** A line that is no event. Servers send such lines while they have nothing else to say. */
export const comment: ServerEvent = { event: '', data: '' }

export class EventTooLarge extends Error {
  override name = 'EventTooLarge'
}

/** In characters. Network chunks are far smaller, so nothing larger is ever assembled. */
const maxEventLength = 4 * 1024 * 1024

export async function* readServerEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerEvent, void, undefined> {
  const decoder = new TextDecoder()
  let ready: ServerEvent[] = []
  let isTooLarge = false
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: ({ event = '', data }) => ready.push({ event, data }),
    onComment: () => ready.push(comment),
    onError: ({ type }) => {
      // Unknown fields are ignored, as the format requires.
      isTooLarge ||= type === 'max-buffer-size-exceeded'
    },
  })
  function* feed(text: string): Generator<ServerEvent> {
    parser.feed(text)
    const events = ready
    ready = []
    yield* events
    if (isTooLarge) throw new EventTooLarge()
  }
  for await (const chunk of chunks) yield* feed(decoder.decode(chunk, { stream: true }))
  // A stream may end without the empty line that ends its last event.
  yield* feed(`${decoder.decode()}\n\n`)
}
