// Lends connections to a server for one transaction at a time. If possible, a client gets a
// different one each time, so that code that relies on a session is found out.
import type { Socket } from 'node:net'
import { type Message, readMessages, reworded, wordAt } from './pooler-messages.ts'

export type Lender = {
  add(server: Socket): void
  /** Calls `taker` with a connection as soon as one is free. */
  borrow(taker: (server: LentServer) => void): void
}

type LentServer = {
  socket: Socket
  /** Names of prepared statements on this server, by client and the client's own name for them. */
  prepared: Map<string, string>
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

/** What to do with the server's confirmation that a statement was prepared. */
type Due = 'passed on' | 'swallowed'

/** Serves a client that has logged in. */
export function createBorrower(
  client: Socket,
  lender: Lender,
  mode: 'transaction' | 'forgetful',
): void {
  const queue: Message[] = []
  let server: LentServer | 'asked for' | undefined
  let syncsDue = 0
  let parsesDue: Due[] = []
  const statements = rememberStatements((due) => parsesDue.push(due))

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
    for (const message of queue.splice(0)) {
      if (message.type === 'X') client.destroy()
      else lent.socket.write(mode === 'forgetful' ? message.bytes : statements.fit(lent, message))
      if (message.type === 'Q' || message.type === 'S') syncsDue += 1
    }
  }

  function answer(lent: LentServer, { type, bytes }: Message) {
    if (type === '1' && mode === 'transaction' && parsesDue.shift() === 'swallowed') return
    client.write(bytes)
    if (type !== 'Z') return
    syncsDue -= 1
    if (syncsDue > 0) return
    // After an error, the server skips everything up to the end of the request.
    parsesDue = []
    if (bytes[5] !== idle || queue.length > 0) return
    server = undefined
    lent.onMessage = () => {}
    lent.giveBack()
  }
}

/** The prepared statements of one client, which every server that it is lent must know. */
function rememberStatements(onParse: (due: Due) => void) {
  /** The Parse message of each statement, by the client's name for it. */
  const parses = new Map<string, Buffer>()
  const clientId = `${serial++}`

  function parseAs(lent: LentServer, name: string): Buffer {
    const own = `L${serial++}`
    lent.prepared.set(`${clientId} ${name}`, own)
    return reworded(parses.get(name) ?? Buffer.alloc(0), 5, own)
  }

  return {
    /** The message with this server's names, preceded by the statement if the server lacks it. */
    fit(lent: LentServer, { type, bytes }: Message): Buffer {
      if (type === 'P') {
        onParse('passed on')
        const name = wordAt(bytes, 5)
        if (name === '') return bytes
        parses.set(name, bytes)
        return parseAs(lent, name)
      }
      const isOfStatement = type === 'D' && bytes[5] === 'S'.charCodeAt(0)
      const at = type === 'B' ? bytes.indexOf(0, 5) + 1 : isOfStatement ? 6 : undefined
      const name = at === undefined ? '' : wordAt(bytes, at)
      if (at === undefined || name === '') return bytes
      const known = () => lent.prepared.get(`${clientId} ${name}`) ?? ''
      if (known() !== '') return reworded(bytes, at, known())
      onParse('swallowed')
      return Buffer.concat([parseAs(lent, name), reworded(bytes, at, known())])
    },
  }
}

const idle = 'I'.charCodeAt(0)
let serial = 0
