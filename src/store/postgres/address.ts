// The address of a PostgreSQL server: one host, or several of which one is writable, and how its
// certificate is checked. Follows libpq's `sslmode` and `sslrootcert`.
import { readFileSync } from 'node:fs'
import tls from 'node:tls'

export type ServerAddress = {
  /** Without parameters that the library would send to the server as settings. */
  readonly url: string
  readonly ssl: Ssl
  /** The host that the next connection tries first; moves on if it turns out to be read-only. */
  firstHost: number
}

/** `undefined`: the library follows what the URL says. */
type Ssl = ((hostname: () => string) => tls.ConnectionOptions) | undefined

export function readAddress(url: string): ServerAddress {
  const [place = '', query = ''] = url.split('?', 2)
  const settings = new URLSearchParams(query)
  const mode = settings.get('sslmode') ?? ''
  const rootPath = settings.get('sslrootcert') ?? 'system'
  settings.delete('sslrootcert')
  if (!mode.startsWith('verify-'))
    return { url: join(place, settings), ssl: undefined, firstHost: 0 }
  settings.delete('sslmode')
  const ca = rootPath === 'system' ? undefined : readFileSync(rootPath)
  const ssl: Ssl = (hostname) => ({
    rejectUnauthorized: true,
    ...(ca && { ca }),
    // The library names no host for an IP address, and Node.js would then check for localhost.
    checkServerIdentity: (_, certificate) =>
      mode === 'verify-ca' ? undefined : tls.checkServerIdentity(hostname(), certificate),
  })
  return { url: join(place, settings), ssl, firstHost: 0 }
}

const join = (place: string, settings: URLSearchParams) =>
  settings.size > 0 ? `${place}?${settings}` : place
