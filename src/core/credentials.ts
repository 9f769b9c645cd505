// A credential is a secret that an account keeps under a name, for the workflows that refer to it.
// This file holds what follows from one: the headers it becomes, where it may be sent, and what
// must be removed from an answer that repeats it.

export const credentialKinds = ['header', 'bearer', 'basic'] as const
export type CredentialKind = (typeof credentialKinds)[number]

/** The encrypted content of a credential. */
export type CredentialSecret =
  | { kind: 'header'; header: string; value: string }
  | { kind: 'bearer'; token: string }
  | { kind: 'basic'; username: string; password: string }

export const credentialNamePattern = '^[a-z0-9-]{1,64}$'

/**
 * `host`, `host:port` or `*.domain`, reached over https. With `http://` in front, it is reached
 * without encryption, which nobody should allow by accident.
 */
export const hostPattern = '^(http://)?(\\*\\.)?[a-z0-9-]+(\\.[a-z0-9-]+)*(:[0-9]{1,5})?$'

export function headersOf(secret: CredentialSecret): Record<string, string> {
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

const secretOf = (secret: CredentialSecret): string =>
  secret.kind === 'header'
    ? secret.value
    : secret.kind === 'bearer'
      ? secret.token
      : secret.password

const shownChars = 4
/** Four of fewer than twelve characters would give too much of them away. */
const shortestShown = 12

/** The last characters of the secret, by which its owner recognises it; null if it is short. */
export function lastChars(secret: CredentialSecret): string | null {
  const text = secretOf(secret)
  return text.length < shortestShown ? null : text.slice(-shownChars)
}

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

/** As `URL.host` spells it. */
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
