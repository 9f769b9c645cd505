// Limits the memory that all request bodies together take until they are answered. Each body has
// its own limit, but hundreds may arrive at once, and a chat holds its body for as long as the
// provider takes. A body that does not fit is refused before it is read or parsed; if its length
// is not announced, while it arrives.
import { type Readable, Transform } from 'node:stream'
import { getHeapStatistics } from 'node:v8'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '#core/errors.ts'

/** Smaller bodies are not worth counting. */
const smallBytes = 64 * 1024
/** The bytes as received, their text, and the parsed value. */
const copies = 3
/** The memory of an object or list and of each member, of which JSON may need only a few bytes. */
const bytesPerObject = 64
const bytesPerMember = 16

export type BodyMemory = {
  /** Returns the stream to read the body from. Throws if the body has to be refused. */
  expect(request: FastifyRequest, reply: FastifyReply, payload: Readable): Readable
  /** Called before a JSON body is parsed. Throws likewise. */
  received(request: FastifyRequest, body: Buffer): void
}

/** Whether its body is known to be so small that it is not counted. */
export const isSmall = ({ headers }: FastifyRequest): boolean =>
  Number(headers['content-length'] ?? 0) <= smallBytes && headers['transfer-encoding'] === undefined

/** By default a third of V8's heap, because handling a body makes further copies of its parts. */
export function createBodyMemory(
  limitBytes: number = getHeapStatistics().heap_size_limit / 3,
): BodyMemory {
  let total = 0
  const held = new WeakMap<FastifyRequest, { bytes: number }>()

  function raise(body: { bytes: number }, bytes: number) {
    const more = Math.max(0, bytes - body.bytes)
    // A body is always accepted if it is the only one.
    const isAlone = total === body.bytes
    if (!isAlone && total + more > limitBytes) throw tooMany()
    body.bytes += more
    total += more
  }

  return {
    expect(request, reply, payload) {
      const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
      const bytes = Number(length ?? 0)
      if (isSmall(request)) return payload
      // The client has left: nothing will be read, and `close` would not be emitted again.
      if (reply.raw.destroyed) return payload
      const body = { bytes: 0 }
      raise(body, bytes * copies)
      held.set(request, body)
      reply.raw.once('close', () => {
        held.delete(request)
        total -= body.bytes
      })
      if (encoding === undefined) return payload
      return counted(payload, (arrived) => {
        if (arrived > smallBytes) raise(body, arrived * copies)
      })
    },
    received(request, body) {
      const known = held.get(request)
      if (known && body.length > smallBytes) raise(known, body.length * copies + structureOf(body))
    },
  }
}

/** The same bytes. What `check` throws ends the stream, but not the connection of the source. */
function counted(source: Readable, check: (arrivedBytes: number) => void): Readable {
  let arrived = 0
  const target = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      arrived += chunk.length
      try {
        check(arrived)
        done(null, chunk)
      } catch (failure) {
        done(failure as Failure)
      }
    },
  })
  source.once('error', (error) => target.destroy(error))
  return source.pipe(target)
}

const tooMany = () =>
  new Failure('SERVICE_UNAVAILABLE', {
    message: 'The server is busy with other large requests. Nothing was started; try again.',
    retryAfterSeconds: 1,
    // The rest of the body is not read.
    headers: { Connection: 'close' },
  })

const codes = { object: 0x7b, list: 0x5b, comma: 0x2c, quote: 0x22, backslash: 0x5c }

/** Roughly the memory that objects, lists and their members need besides their text. */
function structureOf(json: Buffer): number {
  let objects = 0
  let members = 0
  for (let at = 0; at < json.length; at++) {
    const code = json[at]
    if (code === codes.quote) at = endOfString(json, at)
    else if (code === codes.object || code === codes.list) objects++
    else if (code === codes.comma) members++
  }
  return objects * bytesPerObject + members * bytesPerMember
}

/** Finds the closing quote, in long strings much faster than a loop over their bytes would. */
function endOfString(json: Buffer, start: number): number {
  for (
    let at = json.indexOf(codes.quote, start + 1);
    at >= 0;
    at = json.indexOf(codes.quote, at + 1)
  ) {
    let backslashes = 0
    while (json[at - 1 - backslashes] === codes.backslash) backslashes++
    if (backslashes % 2 === 0) return at
  }
  return json.length
}
