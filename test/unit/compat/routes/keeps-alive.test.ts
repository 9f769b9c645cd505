import assert from 'node:assert/strict'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import fastify from 'fastify'
import { sendPieces } from '#compat/routes/send-pieces.ts'
import { createHandClock } from '../../../support/hand-clock.ts'

const ping = ': ping\n\n'

/** A server with one stream, whose pieces come when `say` is called. */
async function openStream() {
  const { clock, pass, set } = createHandClock()
  const waiting: ((line: string | null) => void)[] = []
  async function* events() {
    for (;;) {
      const line = await new Promise<string | null>((resolve) => waiting.push(resolve))
      if (line === null) return
      yield line
    }
  }
  const app = fastify()
  app.get('/', (_, reply) => {
    const options = { stallMs: 60_000, timers: clock, ping }
    sendPieces(reply, { events: events() }, options)
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  let received = ''
  socket.on('data', (bytes) => {
    received += bytes
  })
  const arrived = async (text: string) => {
    while (!received.includes(text)) await new Promise(setImmediate)
    received = received.slice(received.indexOf(text) + text.length)
  }
  const say = async (line: string | null) => {
    while (waiting.length === 0) await new Promise(setImmediate)
    waiting.shift()?.(line)
    if (line !== null) await arrived(line)
  }
  await say('data: begun\n\n')
  return {
    ...{ arrived, say, pass, set, socket, isQuiet: () => !received.includes(ping) },
    async [Symbol.asyncDispose]() {
      socket.destroy()
      await app.close()
    },
  }
}

const quietMs = 15_000

test('a stream that is silent says that it is alive, again and again', async () => {
  await using stream = await openStream()
  for (let time = 0; time < 3; time++) {
    await stream.pass(quietMs + 5_000)
    await stream.arrived(ping)
  }
  await stream.say('data: 2\n\n')
})

test('a stream whose pieces arrive says nothing else', async () => {
  await using stream = await openStream()
  for (let piece = 0; piece < 5; piece++) {
    await stream.pass(quietMs - 1)
    await stream.say(`data: ${piece}\n\n`)
    assert.ok(stream.isQuiet())
  }
})

test('a stream that has ended leaves no timer behind', async () => {
  await using stream = await openStream()
  await stream.say(null)
  await stream.arrived('0\r\n\r\n')
  stream.socket.destroy()
  while (stream.set() > 0) await new Promise(setImmediate)
})
