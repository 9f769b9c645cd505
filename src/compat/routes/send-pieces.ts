// Answers that are sent as they arise: lines of a text/event-stream, or bytes. A client that reads
// nothing is disconnected, and one that waits while a model thinks gets signs of life.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Timers } from '#core/clock.ts'
import type { CompatAnswer } from '../compat-api.ts'

type Pieces = Extract<CompatAnswer, { events: unknown } | { bytes: unknown }>

export type SendOptions = {
  /**
   * A stream whose socket is idle for this long is closed: its client reads nothing. Must exceed
   * the time for which a provider may be silent.
   */
  stallMs: number
  timers: Pick<Timers, 'every'>
}

export function sendPieces(
  reply: FastifyReply,
  answered: Pieces,
  { stallMs, timers, ping }: SendOptions & { ping: string | undefined },
) {
  reply.raw.setTimeout(stallMs, () => void reply.raw.destroy())
  if ('events' in answered && ping !== undefined) keepAlive(reply, ping, timers)
  const { pieces } = piecesOf(answered)
  reply
    .header('x-accel-buffering', 'no')
    .send(Readable.from(pieces, { objectMode: true, highWaterMark: 1 }))
}

export const piecesOf = (answered: Pieces) =>
  'events' in answered
    ? { contentType: 'text/event-stream; charset=utf-8', pieces: answered.events }
    : { contentType: answered.contentType, pieces: answered.bytes }

/** Proxies and clients give up on a silent connection, many of them after 30 or 60 seconds. */
const lookEveryMs = 5_000
const quietLooksUntilPing = 3

/**
 * Whether the stream was silent is seen in the bytes of its socket, so that pieces cost nothing
 * more. Every piece is one or more whole events, so a ping never ends up inside one.
 */
function keepAlive({ raw }: FastifyReply, ping: string, timers: SendOptions['timers']) {
  let sentBefore = -1
  let quietLooks = 0
  const look = () => {
    const sent = raw.socket?.bytesWritten ?? 0
    quietLooks = sent === sentBefore ? quietLooks + 1 : 0
    sentBefore = sent
    if (quietLooks < quietLooksUntilPing || !raw.headersSent || raw.writableEnded) return
    quietLooks = 0
    // A client that reads nothing must not get more: its socket has to become idle.
    if (!raw.writableNeedDrain) raw.write(ping)
  }
  raw.once('close', timers.every(lookEveryMs, look))
}
