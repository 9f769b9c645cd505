import { isIP, connect as netConnect, type Socket, type TcpNetConnectOpts } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import type { buildConnector } from 'undici'
import { type AllowList, isSameAddress } from './address-policy.ts'
import { OutboundFailed, OutboundRefused } from './outbound-errors.ts'
import { type Resolve, resolveWithin } from './resolve.ts'
import { checkHost } from './url-policy.ts'

const connectTimeoutMs = 10_000
const attemptTimeoutMs = 1_000
// Enough for any honest name. Without a limit, a hostile name could make us try thousands of
// addresses.
const maxAddresses = 8

type ConnectorDeps = {
  allow: AllowList
  resolve: Resolve
  openSocket?: (options: TcpNetConnectOpts) => Socket
}

/**
 * Opens the connections of the gateway's pool. For each one it resolves the name, checks every
 * address, connects to those addresses only and verifies the peer. Only then is the first byte
 * sent, whether TLS or HTTP.
 *
 * This defeats DNS rebinding. Addresses resolved at submission are never reused, and the socket
 * is pinned to the addresses resolved here, so there is no second lookup that could return
 * something else. A pooled connection keeps the peer that was checked when it was opened. A name
 * that rebinds later only affects the next connection, which is checked again.
 */
export function createConnector({
  allow,
  resolve,
  openSocket = netConnect,
}: ConnectorDeps): buildConnector.connector {
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
    // The caller's own timer keeps the process alive while it waits. An abandoned attempt must
    // not.
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
  // Node does not call `lookup` for IP literals, so the pinned lookup would never see them.
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
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment has no effect.
    rejectUnauthorized: true,
  })
  await settled(secured, 'secureConnect')
  return secured
}

function settled(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  const kind = event === 'connect' ? 'connect' : 'tls'
  const what = event === 'connect' ? 'No connection could be made' : 'The TLS handshake failed'
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new Error('timeout')), connectTimeoutMs).unref()
    // This listener stays on the socket: an error that occurs before the pool adds its own must
    // not become an uncaught exception.
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
