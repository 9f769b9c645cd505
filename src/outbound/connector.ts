import { isIP, connect as netConnect, type Socket, type TcpNetConnectOpts } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import type { buildConnector } from 'undici'
import { type AllowList, isSameAddress } from './address-policy.ts'
import { OutboundFailed, OutboundRefused } from './outbound-errors.ts'
import { type Resolve, resolveWithin } from './resolve.ts'
import { checkHost } from './url-policy.ts'

const connectTimeoutMs = 10_000
const attemptTimeoutMs = 1_000
// Enough for every honest name; a hostile one cannot make us knock on thousands of doors.
const maxAddresses = 8

type Parts = {
  allow: AllowList
  resolve: Resolve
  openSocket?: (options: TcpNetConnectOpts) => Socket
}

/**
 * Makes the connections of the door's pool. Each one: resolve, check every address, connect to
 * those addresses only, verify the peer, and only then let a byte out, TLS or HTTP.
 *
 * Rebinding: what was resolved at submission is never reused, and what is resolved here is what
 * the socket is pinned to, so there is no second lookup to lie to. A pooled connection was
 * checked when it was made and keeps its peer for life; a name that rebinds later can only
 * change where the next connection goes, and that one is checked again.
 */
export function createConnector({
  allow,
  resolve,
  openSocket = netConnect,
}: Parts): buildConnector.connector {
  const open = async ({ hostname, protocol, port }: buildConnector.Options): Promise<Socket> => {
    const isSecure = protocol === 'https:'
    const addresses = await checkedAddresses(hostname, { allow, resolve })
    const socket = openSocket({
      host: hostname,
      port: Number(port || (isSecure ? 443 : 80)),
      lookup: pinnedTo(addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
      noDelay: true,
      keepAlive: true,
    })
    // Whoever waits holds a timer; an attempt nobody waits for any more must not hold the process.
    socket.unref()
    await settled(socket, 'connect')
    if (!addresses.some((address) => isSameAddress(address, socket.remoteAddress ?? ''))) {
      socket.destroy()
      throw new OutboundRefused('ADDRESS')
    }
    const ready = isSecure ? await secure(socket, hostname) : socket
    return ready.ref()
  }
  return (options, callback) => {
    open(options).then(
      (socket) => callback(null, socket),
      (error) => callback(error, null),
    )
  }
}

async function checkedAddresses(
  hostname: string,
  { allow, resolve }: { allow: AllowList; resolve: Resolve },
): Promise<readonly string[]> {
  // Sockets do not look up literals, so no lookup would ever see them: they are checked here.
  const addresses =
    isIP(hostname) === 0 ? await resolveWithin(resolve, hostname, connectTimeoutMs) : [hostname]
  checkHost(hostname, addresses, allow)
  return addresses.slice(0, maxAddresses)
}

function pinnedTo(addresses: readonly string[]): TcpNetConnectOpts['lookup'] {
  const answer = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_hostname, _options, callback) => callback(null, answer)
}

async function secure(socket: Socket, hostname: string): Promise<Socket> {
  const name = hostname.replace(/\.$/, '')
  const secured = tlsConnect({
    socket,
    host: name,
    servername: isIP(name) === 0 ? name : '',
    ALPNProtocols: ['http/1.1'],
    // Said aloud, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment changes nothing.
    rejectUnauthorized: true,
  })
  await settled(secured, 'secureConnect')
  return secured
}

function settled(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  const kind = event === 'connect' ? 'connect' : 'tls'
  const what = event === 'connect' ? 'No connection could be made' : 'The TLS handshake failed'
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new Error('time-out')), connectTimeoutMs).unref()
    // Stays on the socket: an error between here and the pool's own listener must not be thrown.
    socket.on('error', (cause) => {
      reject(new OutboundFailed(kind, { sent: false, message: `${what}.`, cause }))
    })
    socket.once('close', () => {
      clearTimeout(timer)
      reject(new OutboundFailed(kind, { sent: false, message: `${what}: the peer closed it.` }))
    })
    socket.once(event, () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
