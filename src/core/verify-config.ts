// How a request from outside proves who sent it: the setting that a trigger or a waiting callback
// stores. A browser may import this; the verification itself is in verify-signature.ts.
import { credentialNamePattern } from './credential-name.ts'
import { isHeaderName } from './header-names.ts'
import { type Static, Type } from './schema.ts'

const methods = [
  'none',
  'standard-webhooks',
  'github',
  'stripe',
  'slack',
  'hmac',
  'bearer',
] as const
const algorithms = ['sha1', 'sha256', 'sha512'] as const
const encodings = ['hex', 'base64'] as const

const oneOf = <const T extends readonly string[]>(values: T, options: object) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values, ...options })

/** Two secrets are accepted while one replaces the other at the sender. */
const maxCredentials = 2

export const VerifyConfig = Type.Object(
  {
    method: oneOf(methods, { title: 'Sender', description: 'How the sender signs its requests.' }),
    credentials: Type.Optional(
      Type.Array(Type.String({ pattern: credentialNamePattern }), {
        maxItems: maxCredentials,
        description: 'The stored credentials with the secret: two while you replace it.',
      }),
    ),
    header: Type.Optional(
      Type.String({ maxLength: 100, description: 'hmac: the header with the signature.' }),
    ),
    algorithm: Type.Optional(oneOf(algorithms, { default: 'sha256', description: 'hmac' })),
    encoding: Type.Optional(oneOf(encodings, { default: 'hex', description: 'hmac' })),
    prefix: Type.Optional(
      Type.String({ maxLength: 100, description: 'hmac: stands before the signature: sha256=' }),
    ),
    timestampHeader: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'hmac: the header with the time in seconds since 1970. The signature is then of the time, a dot and the body.',
      }),
    ),
    toleranceSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 86_400,
        default: 300,
        description: 'How old, or how far ahead, a signed time may be.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type VerifyConfig = Static<typeof VerifyConfig>

/** The fields that only `hmac` reads; elsewhere the sender has decided them. */
const hmacFields = ['header', 'algorithm', 'encoding', 'prefix', 'timestampHeader'] as const

/** What is wrong with a setting that fits the schema; `path` is a JSON Pointer into it. */
export function verifyProblems(config: VerifyConfig): { path: string; message: string }[] {
  const problems: { path: string; message: string }[] = []
  const add = (field: string, message: string) => problems.push({ path: `/${field}`, message })
  const count = config.credentials?.length ?? 0
  if (config.method === 'none' && count > 0) add('credentials', 'The method none uses no secret.')
  if (config.method !== 'none' && count === 0) {
    add('credentials', `The method ${config.method} needs a stored credential with the secret.`)
  }
  if (config.method === 'hmac') {
    if (config.header === undefined) add('header', 'The method hmac needs the header to read.')
    for (const field of ['header', 'timestampHeader'] as const) {
      const name = config[field]
      if (name !== undefined && !isHeaderName(name)) add(field, 'This is not a header name.')
    }
  } else {
    for (const field of hmacFields) {
      if (config[field] !== undefined) add(field, 'Only the method hmac reads this.')
    }
  }
  return problems
}
