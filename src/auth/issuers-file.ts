import type { JSONWebKeySet } from 'jose'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { isScope, namedScopes, type Scope } from '#core/scopes.ts'
import { jose } from './jose.ts'

const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const

const Text = Type.String({ minLength: 1, maxLength: 2048 })
const Issuer = Type.Object(
  {
    issuer: Text,
    audience: Type.Union([Text, Type.Array(Text, { minItems: 1, maxItems: 20 })]),
    algorithms: Type.Array(Type.Enum([...algorithms]), { minItems: 1 }),
    jwksUrl: Type.Optional(Text),
    jwks: Type.Optional(Type.Object({ keys: Type.Array(Type.Object({})) })),
    accountClaim: Type.Optional(Text),
    autoProvision: Type.Optional(Type.Boolean()),
    defaultScopes: Type.Optional(Type.Array(Type.String())),
  },
  { additionalProperties: false },
)
const File = Type.Object({ issuers: Type.Array(Issuer) }, { additionalProperties: false })

export type ExternalIssuer = {
  issuer: string
  audience: string | string[]
  algorithms: string[]
  /** The URL of the issuer's key set, or the key set itself. */
  keys: { url: string } | { jwks: JSONWebKeySet }
  /** The claim that names the account. */
  accountClaim: string
  /**
   * If true, the claim is any text and its account is created when it first appears. If false,
   * the claim must be the id of an existing account.
   */
  autoProvision: boolean
  /** Granted to a token without a `scope` claim. */
  defaultScopes: Scope[]
}

/** Parses the text of ISSUERS_FILE. An error names the bad field; the server then does not start. */
export function parseIssuers(text: string, { ownIssuer }: { ownIssuer: string }): ExternalIssuer[] {
  const file = readJson(text)
  if (!Value.Check(File, file)) {
    const [first] = Value.Errors(File, file)
    const message =
      first?.keyword === 'enum' ? `must be one of ${algorithms.join(', ')}` : first?.message
    throw bad(first?.instancePath || '/', message ?? 'is not acceptable')
  }
  const seen = new Set([ownIssuer])
  return file.issuers.map((entry, index) => {
    const path = `/issuers/${index}`
    if (seen.has(entry.issuer)) throw bad(`${path}/issuer`, 'is taken by another issuer')
    seen.add(entry.issuer)
    return toIssuer(entry, path)
  })
}

function toIssuer(entry: Static<typeof Issuer>, path: string): ExternalIssuer {
  const { defaultScopes = [] } = entry
  const unknown = defaultScopes.findIndex((scope) => !isScope(scope))
  if (unknown !== -1) {
    throw bad(`${path}/defaultScopes/${unknown}`, `must be one of ${namedScopes.join(', ')}`)
  }
  return {
    issuer: entry.issuer,
    audience: entry.audience,
    algorithms: entry.algorithms,
    keys: toKeys(entry, path),
    accountClaim: entry.accountClaim ?? 'sub',
    autoProvision: entry.autoProvision ?? false,
    defaultScopes: defaultScopes.filter(isScope),
  }
}

function toKeys({ jwksUrl, jwks }: Static<typeof Issuer>, path: string): ExternalIssuer['keys'] {
  if ((jwksUrl === undefined) === (jwks === undefined)) {
    throw bad(path, 'needs either jwksUrl or jwks')
  }
  if (jwks !== undefined) {
    try {
      jose().createLocalJWKSet(jwks as JSONWebKeySet)
    } catch {
      throw bad(`${path}/jwks`, 'is not a JSON Web Key Set')
    }
    return { jwks: jwks as JSONWebKeySet }
  }
  const url = URL.parse(jwksUrl ?? '')
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw bad(`${path}/jwksUrl`, 'must be an http:// or https:// address')
  }
  return { url: url.href }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw bad('/', `is not JSON: ${error instanceof Error ? error.message : error}`)
  }
}

const bad = (path: string, problem: string) => new Error(`ISSUERS_FILE: ${path} ${problem}`)
