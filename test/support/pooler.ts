// A pooler in front of PostgreSQL with the rules of PgBouncer. It refuses a client that connects
// with unknown settings. In session mode, each client has its own connection to the server. In
// transaction mode, a client is lent a different one for every transaction, on which its statements
// are prepared first. ATELIER_TEST_PGBOUNCER names a program to use instead. Knows nothing about
// the code under test.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBorrower, type Lender, lendServers } from './pooler-lending.ts'
import { readMessages, startupOf } from './pooler-messages.ts'

export type Pooler = AsyncDisposable & { url: string }
/** `forgetful`: in transaction mode, as PgBouncer was before version 1.21. */
export type PoolMode = 'session' | 'transaction' | 'forgetful'

/** Settings that a client may connect with; PgBouncer refuses all others. */
const known =
  /^(user|database|replication|client_encoding|datestyle|timezone|intervalstyle|standard_conforming_strings|application_name)$/i

export async function startPooler(serverUrl: string, mode: PoolMode): Promise<Pooler> {
  const program = process.env.ATELIER_TEST_PGBOUNCER
  return program ? startPgBouncer(program, serverUrl, mode) : startDouble(serverUrl, mode)
}

async function startDouble(serverUrl: string, mode: PoolMode): Promise<Pooler> {
  const sockets = new Set<Socket>()
  const upstream = new URL(serverUrl)
  const toServer = () => hold(connect(Number(upstream.port), upstream.hostname))
  const lender = lendServers()
  const listener = createServer((client) => {
    hold(client)
    client.once('data', (bytes: Buffer) => admit(client, bytes, { mode, toServer, lender }))
  })
  function hold(socket: Socket): Socket {
    sockets.add(socket.setNoDelay(true))
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
    return socket
  }
  const port = await portOf(listener.listen(0, '127.0.0.1'))
  return {
    url: withPort(serverUrl, port),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      listener.close()
      await once(listener, 'close')
    },
  }
}

/** Above the process ids of any system. */
let inventedPid = 2 ** 30

type Backend = { mode: PoolMode; toServer(): Socket; lender: Lender }

function admit(client: Socket, bytes: Buffer, { mode, toServer, lender }: Backend): void {
  const refused = Object.keys(startupOf(bytes)).find((name) => !known.test(name))
  if (refused) {
    const fields = ['SFATAL', 'C08P01', `Munsupported startup parameter: ${refused}`, '']
    const body = Buffer.from(`${fields.join('\0')}\0`)
    const head = Buffer.from('E....')
    head.writeInt32BE(body.length + 4, 1)
    client.end(Buffer.concat([head, body]))
    return
  }
  const server = toServer()
  server.write(bytes)
  if (mode !== 'session') {
    logIn(client, server, (loggedIn) => {
      lender.add(loggedIn)
      createBorrower(client, lender, mode)
    })
    return
  }
  client.once('close', () => server.destroy())
  server.once('close', () => client.destroy())
  client.on('data', (data) => server.write(data))
  server.on('data', (data) => client.write(data))
}

/** Connects both ends until the server is ready; from then on, it may be lent to any client. */
function logIn(client: Socket, server: Socket, onReady: (server: Socket) => void): void {
  const ask = (data: string | Buffer) => void server.write(data)
  client.on('data', ask)
  const answers = readMessages((message) => {
    // The process that a client may cancel is the pooler's own invention.
    if (message.type === 'K') message.bytes.writeUInt32BE(inventedPid++, 5)
    client.write(message.bytes)
    if (message.type !== 'Z') return
    client.off('data', ask)
    server.off('data', answers)
    onReady(server)
  })
  server.on('data', answers)
}

async function portOf(listener: Server): Promise<number> {
  await once(listener, 'listening')
  return (listener.address() as AddressInfo).port
}

function withPort(serverUrl: string, port: number): string {
  const url = new URL(serverUrl)
  url.port = String(port)
  return url.href
}

async function startPgBouncer(program: string, serverUrl: string, mode: PoolMode): Promise<Pooler> {
  const { hostname, port, username, password } = new URL(serverUrl)
  const folder = await mkdtemp(join(tmpdir(), 'atelier-pgbouncer-'))
  const free = createServer().listen(0, '127.0.0.1')
  const own = await portOf(free)
  free.close()
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(
    file,
    `[databases]\n* = host=${hostname} port=${port} user=${username} password=${password}\n[pgbouncer]\n` +
      `listen_addr = 127.0.0.1\nlisten_port = ${own}\nauth_type = any\npool_mode = ${mode === 'session' ? mode : 'transaction'}\n` +
      `default_pool_size = 6\nmax_prepared_statements = ${mode === 'forgetful' ? 0 : 100}\n` +
      'unix_socket_dir =\nlogfile = \n',
    { mode: 0o644 },
  )
  await new Promise((resolve) => execFile('chmod', ['755', folder], resolve))
  const child = spawn(program, process.getuid?.() === 0 ? ['-u', 'nobody', file] : [file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  for await (const line of child.stderr) if (String(line).includes('process up')) break
  return {
    url: withPort(serverUrl, own),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await once(child, 'exit')
      await rm(folder, { recursive: true })
    },
  }
}
