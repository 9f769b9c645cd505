// Signs requests with Signature Version 4. Credentials are found as the tools of AWS do: variables,
// profiles, web identities, the instance; they are renewed before they end.
import { defaultProvider } from '@aws-sdk/credential-provider-node'
import { Sha256 } from '@smithy/core/checksum'
import { SignatureV4 } from '@smithy/signature-v4'

/** The headers to send besides the content type. */
export type Sign = (request: { url: URL; body: string }) => Promise<Record<string, string>>

type SignerOptions = {
  region: string
  profile?: string | undefined
  credentials?: ConstructorParameters<typeof SignatureV4>[0]['credentials']
  /** For tests: the signature depends on the time. */
  nowMs?: () => number
}

export function createSigner({ region, profile, credentials, nowMs }: SignerOptions): Sign {
  const signer = new SignatureV4({
    ...{ service: 'bedrock', region, sha256: Sha256 },
    credentials: credentials ?? defaultProvider(profile === undefined ? {} : { profile }),
  })
  return async ({ url, body }) => {
    const { hostname, host, port, pathname, protocol } = url
    const request = {
      ...{ method: 'POST', protocol, hostname, path: pathname, query: {}, body },
      ...(port === '' ? {} : { port: Number(port) }),
      headers: { host, 'content-type': 'application/json' },
    }
    const at = nowMs ? { signingDate: new Date(nowMs()) } : {}
    const { headers } = await signer.sign(request, at)
    // The connection sets these two itself.
    const { host: _host, 'content-type': _type, ...added } = headers
    return added
  }
}
