// Lends connections to a server for one transaction at a time. A client gets another one than
// before where there is a choice, so that whoever relies on a session is found out.
import type { Socket } from 'node:net'
import { type Message, readMessages, reworded, wordAt } from './pooler-messages.ts'

export type Lender = {
  add(server: Socket): void
  /** Called with a connection as soon as one is free. */
  borrow(taker: (server: LentServer) => void): void
}

type LentServer = {
  socket: Socket
  /** Texts of prepared statements by the names they have here. */
  prepared: Map<string, Buffer>
  onMessage(message: Message): void
  giveBack(): void
}

export function lendServers(): Lender {
  const free: LentServer[] = []
  const waiting: ((server: LentServer) => void)[] = []
  function giveBack(server: LentServer) {
    if (server.socket.destroyed) return
    const next = waiting.shift()
    if (next) next(server)
    else free.push(server)
  }
  return {
    add(socket) {
      const server: LentServer = {
        socket,
        prepared: new Map(),
        onMessage() {},
        giveBack: () => giveBack(server),
      }
      socket.on(
        'data',
        readMessages((message) => server.onMessage(message)),
      )
      socket.once('close', () => {
        const index = free.indexOf(server)
        if (index >= 0) free.splice(index, 1)
      })
      giveBack(server)
    },
    borrow(taker) {
      const server = free.shift()
      if (server) taker(server)
      else waiting.push(taker)
    },
  }
}

/** Answers that nobody asked for, and answers that nobody gives, in the order of the requests. */
type Due = 'passed on' | 'swallowed'

/** Serves a client that has logged in. */
export function createBorrower(client: Socket, lender: Lender): void {
  /** The client's prepared statements: their message, by its name for them. */
  const statements = new Map<string, Buffer>()
  const queue: Message[] = []
  let server: LentServer | 'asked for' | undefined
  let syncsDue = 0
  let parsesDue: Due[] = []

  client.on(
    'data',
    readMessages((message) => {
      queue.push(message)
      if (server === undefined) {
        server = 'asked for'
        lender.borrow(take)
      } else if (server !== 'asked for') sendQueue(server)
    }),
  )

  function take(lent: LentServer) {
    server = lent
    lent.onMessage = (message) => answer(lent, message)
    sendQueue(lent)
  }

  function sendQueue(lent: LentServer) {
    for (const message of queue.splice(0)) send(lent, message)
  }

  function send(lent: LentServer, message: Message) {
    const { type, bytes } = message
    if (type === 'X') return void client.destroy()
    if (type === 'Q' || type === 'S') syncsDue += 1
    if (type === 'P') return prepare(lent, message)
    const at = type === 'B' ? endOfWord(bytes, 5) : bytes[5] === 83 && type === 'D' ? 6 : undefined
    const name = at === undefined ? '' : wordAt(bytes, at)
    if (at === undefined || name === '') return void lent.socket.write(bytes)
    lent.socket.write(reworded(message, at, makeKnown(lent, name)))
  }

  function prepare(lent: LentServer, message: Message) {
    const name = wordAt(message.bytes, 5)
    parsesDue.push('passed on')
    if (name === '') return void lent.socket.write(message.bytes)
    statements.set(name, message.bytes)
    const own = `L${serial++}`
    lent.prepared.set(`${clientId} ${name}`, Buffer.from(own))
    lent.socket.write(reworded(message, 5, own))
  }

  /** Prepares there what the client prepared elsewhere; returns its name there. */
  function makeKnown(lent: LentServer, name: string): string {
    const key = `${clientId} ${name}`
    const there = lent.prepared.get(key)
    if (there) return there.toString()
    const own = `L${serial++}`
    lent.prepared.set(key, Buffer.from(own))
    const bytes = statements.get(name) ?? Buffer.alloc(0)
    parsesDue.push('swallowed')
    lent.socket.write(reworded({ type: 'P', bytes }, 5, own))
    return own
  }

  function answer(lent: LentServer, { type, bytes }: Message) {
    if (type === '1' && parsesDue.shift() === 'swallowed') return
    client.write(bytes)
    if (type !== 'Z') return
    // After an error the server skips what comes before the next end of a request.
    syncsDue -= 1
    if (syncsDue > 0) return
    parsesDue = []
    if (bytes[5] !== idle || queue.length > 0) return
    server = undefined
    lent.onMessage = () => {}
    lent.giveBack()
  }
  const clientId = `${serial++}`
}

const idle = 'I'.charCodeAt(0)
let serial = 0
const endOfWord = (bytes: Buffer, from: number) => bytes.indexOf(0, from) + 1
