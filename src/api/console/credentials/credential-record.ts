import { toRfc3339 } from '#core/clock.ts'
import { type CredentialSecret, credentialKinds, hostPattern } from '#core/credential.ts'
import { credentialNamePattern } from '#core/credential-name.ts'
import { invalid } from '#core/errors.ts'
import { isHeaderValue, isSettableHeader } from '#core/header-names.ts'
import { type Static, Type } from '#core/schema.ts'
import type { CredentialRow } from '#store/tables/credentials.ts'
import { Closed, NamedRecord, Nullable, OneOf, Timestamp } from '../../schemas.ts'

export const CredentialName = Type.String({
  pattern: credentialNamePattern,
  description: 'The name by which workflows refer to it: a-z, 0-9 and hyphens.',
})
const Kind = OneOf(
  credentialKinds,
  'How it is sent. `header`: the secret as the value of a header of your choice. `bearer`: `Authorization: Bearer …`. `basic`: `Authorization: Basic …` with user name and password. `provider`: a key of a provider, for calls to its models. `webhook`: sent nowhere; it verifies who signed a request to a trigger or a callback.',
)
const ProviderName = Type.String({
  pattern: '^[a-z0-9][a-z0-9-]{0,39}$',
  description:
    'Whose key it is, such as `openai`. Required for the kind `provider`, and only there.',
})
const Hosts = Type.Array(Type.String({ maxLength: 261, pattern: hostPattern }), {
  maxItems: 20,
  uniqueItems: true,
  description:
    'Where it may be sent: `api.example.com`, `*.example.com` or `host:port`, over https; with `http://` in front, without encryption. Required, except for the kinds `provider`, which is sent to its provider alone, and `webhook`, which is sent nowhere. A credential from an earlier version that has none is sent nowhere until it is replaced.',
})

/** What a credential consists of, besides its name. */
export const contentFields = {
  kind: Kind,
  secret: Type.String({
    minLength: 1,
    maxLength: 4096,
    description:
      'The header value, token, password or key. It is stored encrypted and never shown again.',
  }),
  header: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Name of the header. Required for the kind `header`, and only there.',
    }),
  ),
  username: Type.Optional(
    Type.String({
      maxLength: 256,
      description: 'Required for the kind `basic`, and only there.',
    }),
  ),
  provider: Type.Optional(ProviderName),
  hosts: Type.Optional(Hosts),
}

export const CredentialRecord = NamedRecord('Credential', {
  name: CredentialName,
  kind: Kind,
  provider: Nullable(ProviderName),
  hosts: Hosts,
  lastChars: Nullable(
    Type.String({ description: 'The last 4 characters of the secret; null if it is short.' }),
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  lastUsedAt: Nullable(Timestamp),
})

export const toRecord = (row: CredentialRow): Static<typeof CredentialRecord> => ({
  name: row.name,
  kind: row.kind,
  provider: row.provider,
  hosts: [...row.hosts],
  lastChars: row.last_chars,
  createdAt: toRfc3339(row.created_at),
  updatedAt: toRfc3339(row.updated_at),
  lastUsedAt: row.last_used_at === null ? null : toRfc3339(row.last_used_at),
})

const Content = Closed(contentFields)

/** The field that a kind requires and that no other kind may have. */
const fieldOf = { header: 'header', basic: 'username', provider: 'provider' } as const

/**
 * Checks what the schema cannot express. No message repeats the secret. `providers` are those that
 * an account may store a key for.
 */
export function readContent(content: Static<typeof Content>, providers: readonly string[]) {
  const { kind, secret, header = '', username = '', provider = '', hosts = [] } = content
  for (const [owner, field] of Object.entries(fieldOf)) {
    if ((content[field] !== undefined) === (kind === owner)) continue
    throw problem(`/${field}`, kind === owner ? 'is required' : `is only for the kind ${owner}`)
  }
  if (kind === 'provider') {
    if (!providers.includes(provider)) {
      throw problem('/provider', `must be one of ${providers.join(', ')}`)
    }
  }
  if (kind === 'provider' || kind === 'webhook') {
    if (hosts.length > 0) throw problem('/hosts', `are not for the kind ${kind}`)
  } else if (hosts.length === 0) {
    throw problem('/hosts', 'must name at least one host that it may be sent to')
  }
  return { hosts, secret: toSecret({ kind, secret, header, username, provider }) }
}

const token = /^[\x21-\x7e]+$/

function toSecret(given: {
  kind: CredentialSecret['kind']
  secret: string
  header: string
  username: string
  provider: string
}): CredentialSecret {
  const { kind, secret, header, username, provider } = given
  switch (kind) {
    case 'header':
      if (!isSettableHeader(header)) throw problem('/header', 'is not a header you can set')
      // Receivers drop surrounding white space (RFC 9110 section 5.5), so it must be a mistake.
      if (!isHeaderValue(secret) || secret.trim() !== secret) {
        throw problem('/secret', 'must be printable Latin-1 without surrounding white space')
      }
      return { kind, header, value: secret }
    case 'bearer':
      if (!token.test(secret)) throw problem('/secret', 'must be printable ASCII without spaces')
      return { kind, token: secret }
    case 'provider':
      if (!token.test(secret)) throw problem('/secret', 'must be printable ASCII without spaces')
      return { kind, provider, key: secret }
    case 'webhook':
      if (!isText(secret)) throw problem('/secret', 'must be text without control characters')
      return { kind, secret }
    case 'basic':
      // RFC 7617: the first colon ends the user name.
      if (!isText(username) || username.includes(':')) {
        throw problem('/username', 'must be text without a colon')
      }
      if (!isText(secret)) throw problem('/secret', 'must be text without control characters')
      return { kind, username, password: secret }
    default:
      return kind satisfies never
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
const isText = (text: string): boolean => text.isWellFormed() && !/[\x00-\x1f\x7f]/.test(text)

export const problem = (path: string, message: string) =>
  invalid('INVALID_REQUEST', [{ path, rule: 'credential', message }], `${path} ${message}.`)
