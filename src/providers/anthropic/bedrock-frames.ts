// Streams in the framing of AWS: each message has a length, headers and a checksum, and holds one
// event of Anthropic's API as base64. Never holds more than one unfinished message, and that only up
// to a limit.
import { EventStreamCodec } from '@smithy/core/event-streams'
import { isRecord } from '#core/record.ts'
import { parseJson, textOf } from '#providers/json-shape.ts'
import { protocolError } from '#providers/refusal.ts'
import { brokenStream, type readJsonEvents } from '#providers/streamed-text.ts'
import { kindOfError } from './bedrock-response.ts'

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString(),
  (text) => Buffer.from(text),
)

/** As for the events of other vendors. */
const maxFrameBytes = 4 * 1024 * 1024
/** The length of a message is in its first four bytes. */
const lengthBytes = 4

export const readFrames: typeof readJsonEvents = async function* (upstream, answer, chunks) {
  let held = Buffer.alloc(0)
  for await (const chunk of chunks) {
    held = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk])
    while (held.length >= lengthBytes) {
      const size = held.readUInt32BE(0)
      if (size > maxFrameBytes)
        throw protocolError(upstream, answer, 'an event in the stream is too large')
      if (held.length < size) break
      yield eventIn(held.subarray(0, size))
      held = held.subarray(size)
    }
  }

  function eventIn(frame: Buffer) {
    const { headers, body } = decoded(frame)
    const said = parseJson(Buffer.from(body))
    const json = isRecord(said) ? said : {}
    const type = headers[':exception-type']?.value ?? headers[':error-code']?.value
    if (type !== undefined) {
      const message = textOf(json.message) ?? String(headers[':error-message']?.value ?? type)
      throw brokenStream(upstream, {
        kind: kindOfError(String(type), message) ?? 'server',
        message,
      })
    }
    const event = parseJson(Buffer.from(textOf(json.bytes) ?? '', 'base64'))
    if (!isRecord(event))
      throw protocolError(upstream, answer, 'the stream contains something that is not JSON')
    return { name: textOf(event.type) ?? '', json: event }
  }

  function decoded(frame: Buffer) {
    try {
      return codec.decode(frame)
    } catch {
      throw protocolError(upstream, answer, 'the stream contains a damaged message')
    }
  }
}
