// Limits the memory that all request bodies together take until they are answered. Each body has
// its own limit, but hundreds may arrive at once, and a chat holds its body for as long as the
// provider takes. A body that does not fit is refused before it is read or parsed; if its length
// is not announced, while it arrives. No account takes more than half while others may come, and
// bodies full of pictures leave a quarter to all others.
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

/** Chats with pictures may be larger. Beyond it, a body must be long strings for the most part. */
const largeBytes = 10 * 1024 * 1024
/** What the objects and members of a larger body may need: those of some ten thousand messages. */
const maxStructureOfLarge = 32 * 1024 * 1024

declare module 'fastify' {
  interface FastifyRequest {
    /** Its body, if it is counted. */
    heldBody: HeldBody | null
  }
}

export type HeldBody = {
  /** Called when the body was passed on and is no longer needed here: one copy is being sent. */
  passedOn(): void
}

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
  const room = createRoom(limitBytes)
  const held = new WeakMap<FastifyRequest, Body>()
  return {
    expect(request, reply, payload) {
      const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
      if (isSmall(request) || isRefusedUnread(request)) return payload
      // The client has left: nothing will be read, and `close` would not be emitted again.
      if (reply.raw.destroyed) return payload
      const body = room.enter(accountOf(request), Number(length ?? 0))
      held.set(request, body)
      request.heldBody = {
        passedOn: () => room.add(body, Math.round(body.bytes / copies) - body.bytes),
      }
      reply.raw.once('close', () => {
        held.delete(request)
        room.leave(body)
      })
      if (encoding === undefined) return payload
      return counted(payload, (arrived) => {
        if (arrived > smallBytes) room.raise(body, arrived)
      })
    },
    received(request, body) {
      const known = held.get(request)
      if (!known || body.length <= smallBytes) return
      const structure = structureOf(body)
      if (body.length > largeBytes && structure > maxStructureOfLarge) throw tooFine()
      room.raise(known, body.length, structure)
    },
  }
}

/** The route answers 413 by the announced length. */
const isRefusedUnread = ({ headers, routeOptions: { bodyLimit, config } }: FastifyRequest) =>
  !config.streams && Number(headers['content-length'] ?? 0) > bodyLimit

/** Of callers with a credential of the API. */
const accountOf = ({ admitted }: FastifyRequest): string | undefined =>
  (admitted as { principal?: { accountId: string } } | null)?.principal?.accountId

/** Of the memory for bodies, for those over `largeBytes` together. */
const largeShare = 3 / 4

type Sum = { bytes: number }
type AccountSum = Sum & { readonly id: string; bodies: number }
type Body = Sum & { isLarge: boolean; readonly ofAccount: AccountSum | null }

/** The memory that is taken, by all bodies, by the large ones, and by those of each account. */
function createRoom(limitBytes: number) {
  const all: Sum = { bytes: 0 }
  const large: Sum = { bytes: 0 }
  const accounts = new Map<string, AccountSum>()

  function assertRoom({ bytes, isLarge, ofAccount }: Body, more: number) {
    const most = limitBytes * largeShare
    if (isLarge && bytes + more > most) throw tooLarge(most / copies)
    if (isLarge && large.bytes + more > most) throw tooMany()
    // A body is always accepted if it is the only one; of its account it only has to fit.
    if (all.bytes > bytes && all.bytes + more > limitBytes) throw tooMany()
    if (!ofAccount || ofAccount.bytes === bytes) return
    if (ofAccount.bytes + more > limitBytes / 2) throw tooMany()
  }

  function add(body: Body, more: number) {
    body.bytes += more
    all.bytes += more
    if (body.ofAccount) body.ofAccount.bytes += more
    if (body.isLarge) large.bytes += more
  }

  /** `size`: of the body itself, without copies and objects. */
  function raise(body: Body, size: number, structure = 0) {
    if (size > largeBytes && !body.isLarge) {
      body.isLarge = true
      large.bytes += body.bytes
    }
    const more = Math.max(0, size * copies + structure - body.bytes)
    assertRoom(body, more)
    add(body, more)
  }

  function join(id: string): AccountSum {
    const sum = accounts.get(id) ?? { id, bytes: 0, bodies: 0 }
    accounts.set(id, sum)
    sum.bodies++
    return sum
  }

  function leave(body: Body) {
    add(body, -body.bytes)
    const { ofAccount } = body
    if (ofAccount && --ofAccount.bodies === 0) accounts.delete(ofAccount.id)
  }

  return {
    add,
    raise,
    leave,
    enter(account: string | undefined, size: number): Body {
      const ofAccount = account === undefined ? null : join(account)
      const body = { bytes: 0, isLarge: false, ofAccount }
      try {
        raise(body, size)
        return body
      } catch (failure) {
        leave(body)
        throw failure
      }
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

const tooLarge = (most: number) =>
  new Failure('PAYLOAD_TOO_LARGE', {
    message: `The memory of this server allows bodies of ${Math.floor(most)} bytes.`,
    headers: { Connection: 'close' },
  })

const tooFine = () =>
  new Failure('PAYLOAD_TOO_LARGE', {
    message: 'More than 10 MiB are accepted only as pictures or other long texts.',
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
