// A credential is a secret that an account keeps under a name, for the workflows that refer to it.
// This file derives the headers it becomes, where it may be sent, and what must be removed from an
// answer that repeats it.

export const credentialKinds = ['header', 'bearer', 'basic', 'provider'] as const
export type CredentialKind = (typeof credentialKinds)[number]

/** Sent as a header of a request whose address a workflow names. */
export type HttpSecret =
  | { kind: 'header'; header: string; value: string }
  | { kind: 'bearer'; token: string }
  | { kind: 'basic'; username: string; password: string }

/** A key for calls to a model, sent only to the address the operator set for the provider. */
export type ProviderKey = { kind: 'provider'; provider: string; key: string }

/** The encrypted content of a credential. */
export type CredentialSecret = HttpSecret | ProviderKey

export const credentialNamePattern = '^[a-z0-9-]{1,64}$'

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
      return { authorization: `Basic ${encoded(secret)}` }
    default:
      return secret satisfies never
  }
}

const encoded = ({ username, password }: { username: string; password: string }): string =>
  Buffer.from(`${username}:${password}`).toString('base64')

function secretOf(secret: CredentialSecret): string {
  switch (secret.kind) {
    case 'header':
      return secret.value
    case 'bearer':
      return secret.token
    case 'basic':
      return secret.password
    case 'provider':
      return secret.key
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

/** HTTP nodes must not send a provider key: the workflow, not the operator, chooses the address. */
export const keyInRequest = (name: string, provider: string | null): string =>
  `Credential "${name}" is a key of ${provider}: only nodes that call a model use it.`

/** `hosts` as stored with the credential; an empty list allows every address reached over https. */
export function mayBeSentTo(hosts: readonly string[], { protocol, host }: URL): boolean {
  if (hosts.length === 0) return protocol === 'https:'
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

/** A shorter text would be found by chance in answers that do not repeat the secret. */
const shortestHidden = 8

/** Replaces every repetition of the secret, because answers are recorded and shown. */
export function hideIn(text: string, secret: CredentialSecret, name: string): string {
  const forms = secret.kind === 'basic' ? [encoded(secret), secret.password] : [secretOf(secret)]
  let hidden = text
  for (const form of forms) {
    if (form.length < shortestHidden) continue
    for (const spelling of [form, JSON.stringify(form).slice(1, -1), encodeURIComponent(form)]) {
      hidden = hidden.replaceAll(spelling, `[credential ${name}]`)
    }
  }
  return hidden
}
