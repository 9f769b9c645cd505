// Schemas that several operations share: public records, paging, path parameters.

import { tagPattern } from '#core/budgets.ts'
import { uuidPattern } from '#core/ids.ts'
import { type Static, type TSchema, Type } from '#core/schema.ts'
import { Named } from './named.ts'

export const OneOf = <const T extends string>(values: readonly T[], description?: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], ...(description ? { description } : {}) })

export const Nullable = <S extends TSchema>(schema: S) =>
  Type.Unsafe<Static<S> | null>({ anyOf: [schema, { type: 'null' }] })

/** A closed object, which refuses unknown members. */
export const Closed = <P extends Record<string, TSchema>>(properties: P, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

/** The same with a name. */
export const NamedRecord = <P extends Record<string, TSchema>>(
  name: string,
  properties: P,
  options?: object,
) => Named(name, Closed(properties, options))

/**
 * Characters that a line of text may not contain: control characters (PostgreSQL cannot store NUL)
 * and lone surrogates, which would be replaced. Written as the inside of a character class.
 */
export const unstorable = '\\u0000-\\u001f\\u007f\\ud800-\\udfff'

/** A name on one line. Surrounding white space is not part of it: `trim` it before storing. */
export const Name = (maxChars: number) =>
  Type.String({
    pattern: `^\\s*[^\\s${unstorable}](?:[^${unstorable}]{0,${maxChars - 2}}[^\\s${unstorable}])?\\s*$`,
    description: `1 to ${maxChars} characters on one line; surrounding white space is removed.`,
  })

export const Timestamp = Type.String({ format: 'date-time', description: 'RFC 3339, UTC.' })
export const Uuid = (description: string) =>
  Type.String({ format: 'uuid', pattern: uuidPattern, description })
export const WorkflowId = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Identifier of a workflow.',
})
export const Amount = Type.Number({ minimum: 0, description: 'Major units, at most 6 decimals.' })
export const Money = NamedRecord('Money', { amount: Amount, currency: Type.String() })
export const RetryAfter = Type.Integer({
  minimum: 0,
  description: 'Seconds to wait before the next poll; 0 once the status is terminal.',
})

/** Of calls that cost something. */
export const tagHeader = {
  'X-Atelier-Tag': {
    schema: Type.String({ pattern: tagPattern }),
    required: false,
    description: 'What the call is counted under in usage and budgets.',
  },
}

export const retryAfterHeader = {
  'Retry-After': { schema: RetryAfter, description: 'Same number as retryAfterSeconds.' },
}
export const replayedHeader = {
  'Idempotent-Replayed': {
    schema: { const: 'true' },
    description: 'Sent if this is the answer that an earlier request got.',
  },
}
export const locationHeader = {
  Location: { schema: Type.String(), description: 'Address of the resource.' },
}

export const Media = NamedRecord('Media', {
  url: Type.String({
    format: 'uri',
    description:
      'Signed, valid for 24 h; read again for a new one. With `&w=208` or `&w=416` a picture comes as a WebP at most so many pixels wide.',
  }),
  mimeType: Type.String(),
  sizeBytes: Type.Integer({ minimum: 0 }),
  width: Type.Optional(Type.Integer({ minimum: 1 })),
  height: Type.Optional(Type.Integer({ minimum: 1 })),
  durationSeconds: Type.Optional(Type.Number({ minimum: 0 })),
  hasAudio: Type.Optional(Type.Boolean()),
})
export type Media = Static<typeof Media>
