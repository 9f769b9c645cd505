// A credential is a secret that an account keeps under a name, for the workflows that refer to it.
// This file derives the headers it becomes, and where it may be sent. What must be removed
// from an answer that repeats it is in hidden-secrets.ts.

export const credentialKinds = ['header', 'bearer', 'basic', 'provider', 'webhook'] as const
export type CredentialKind = (typeof credentialKinds)[number]

/** Sent as a header of a request whose address a workflow names. */
export type HttpSecret =
  | { kind: 'header'; header: string; value: string }
  | { kind: 'bearer'; token: string }
  | { kind: 'basic'; username: string; password: string }

/** A key for calls to a model, sent only to the address the operator set for the provider. */
export type ProviderKey = { kind: 'provider'; provider: string; key: string }

/** What a sender signs its requests with. It verifies what arrives and is sent nowhere. */
export type SigningSecret = { kind: 'webhook'; secret: string }

/** The encrypted content of a credential. */
export type CredentialSecret = HttpSecret | ProviderKey | SigningSecret

/**
 * `host`, `host:port` or `*.domain`, reached over https. With `http://` in front, it is reached
 * without encryption, which nobody should allow by accident.
 */
export const hostPattern = '^(http://)?(\\*\\.)?[a-z0-9-]+(\\.[a-z0-9-]+)*(:[0-9]{1,5})?$'

export function headersOf(secret: HttpSecret): Record<string, string> {
  switch (secret.kind) {
    case 'header':
      return { [secret.header.toLowerCase()]: secret.value }
    case 'bearer':
      return { authorization: `Bearer ${secret.token}` }
    case 'basic':
      return { authorization: `Basic ${encodedBasic(secret)}` }
    default:
      return secret satisfies never
  }
}

export const encodedBasic = ({
  username,
  password,
}: {
  username: string
  password: string
}): string => Buffer.from(`${username}:${password}`).toString('base64')

export function secretOf(secret: CredentialSecret): string {
  switch (secret.kind) {
    case 'header':
      return secret.value
    case 'bearer':
      return secret.token
    case 'basic':
      return secret.password
    case 'provider':
      return secret.key
    case 'webhook':
      return secret.secret
    default:
      return secret satisfies never
  }
}

const shownChars = 4
/** Four characters of a shorter secret would give too much of it away. */
const shortestShown = 12

/** The last characters of the secret, by which its owner recognises it; null if it is short. */
export function lastChars(secret: CredentialSecret): string | null {
  const text = secretOf(secret)
  return text.length < shortestShown ? null : text.slice(-shownChars)
}

/** Why a credential cannot be billed for a call to a model of this provider; null if it can. */
export function keyProblem(
  name: string,
  { kind, provider }: { kind: CredentialKind; provider?: string | null },
  wanted: string,
): string | null {
  if (kind !== 'provider') {
    return `Credential "${name}" is of kind ${kind}: calls to a model need one of kind provider.`
  }
  if (provider === wanted) return null
  return `Credential "${name}" is a key of ${provider}: this model needs one of ${wanted}.`
}

/**
 * Why a credential is never sent with a request whose address a workflow chooses, whatever its
 * hosts; null if it may be.
 */
export function requestProblem(
  name: string,
  { kind, provider }: { kind: CredentialKind; provider?: string | null },
): string | null {
  switch (kind) {
    case 'provider':
      return `Credential "${name}" is a key of ${provider}: only nodes that call a model use it.`
    case 'webhook':
      return `Credential "${name}" is the secret of a webhook: it verifies what arrives and is sent nowhere.`
    default:
      return null
  }
}

/** An editor chooses the address of a request, so a secret without hosts could be sent anywhere. */
export const hostsMissing = (name: string): string =>
  `Credential "${name}" names no hosts, so it is sent nowhere. An owner must say where it may be sent: replace it with its hosts.`

/** `hosts` as stored with the credential; an empty list allows none. */
export function mayBeSentTo(hosts: readonly string[], { protocol, host }: URL): boolean {
  return hosts.some((pattern) => {
    const isPlain = pattern.startsWith('http://')
    if (protocol !== (isPlain ? 'http:' : 'https:')) return false
    const wanted = withoutDefaultPort(isPlain ? pattern.slice('http://'.length) : pattern, isPlain)
    return wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) : host === wanted
  })
}

/** Omits the default port, as `URL.host` does. */
const withoutDefaultPort = (host: string, isPlain: boolean): string =>
  host.replace(isPlain ? /:80$/ : /:443$/, '')
