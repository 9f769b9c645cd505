// Reads a stream of server-sent events as bytes come in, cut anywhere. Never holds more than one
// event, and that only up to a limit.

export type ServerEvent = { event: string; data: string }

export class EventTooLarge extends Error {
  override name = 'EventTooLarge'
}

const maxEventLength = 4 * 1024 * 1024

export async function* readServerEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerEvent, void, undefined> {
  const decoder = new TextDecoder()
  const reader = createEventReader()
  for await (const chunk of chunks) {
    yield* reader.read(decoder.decode(chunk, { stream: true }))
  }
  // A stream may end without the empty line that ends its last event.
  yield* reader.read(`${decoder.decode()}\n\n`)
}

function createEventReader() {
  let line = ''
  let event = ''
  let data: string[] = []
  let length = 0
  let endedWithReturn = false

  function* take(): Generator<ServerEvent> {
    if (line === '') {
      if (data.length > 0) yield { event, data: data.join('\n') }
      event = ''
      data = []
      length = 0
      return
    }
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const rest = colon < 0 ? '' : line.slice(colon + 1)
    const value = rest.startsWith(' ') ? rest.slice(1) : rest
    if (field === 'data') data.push(value)
    else if (field === 'event') event = value
    length += line.length
    line = ''
  }

  return {
    *read(text: string): Generator<ServerEvent> {
      // "\r\n" may be cut in two: the second half ends no line of its own.
      let from = endedWithReturn && text.startsWith('\n') ? 1 : 0
      if (text !== '') endedWithReturn = text.endsWith('\r')
      const ends = /\r\n|\r|\n/g
      ends.lastIndex = from
      for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
        line += text.slice(from, end.index)
        from = ends.lastIndex
        yield* take()
      }
      line += text.slice(from)
      if (line.length + length > maxEventLength) throw new EventTooLarge()
    },
  }
}
