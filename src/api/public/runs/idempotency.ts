import { hash } from 'node:crypto'
import { canonicalJson } from '#core/canonical-json.ts'
import { Failure } from '#core/errors.ts'
import { Type } from '#core/schema.ts'
import type { CallContext } from '../../operation.ts'
import { tagHeader } from '../../schemas.ts'

export const keyHeader = {
  'Idempotency-Key': {
    schema: Type.String({ minLength: 1, maxLength: 128, pattern: '^[ -~]+$' }),
    required: true,
    description: 'Printable ASCII. The same key with the same input returns the same run.',
  },
}

/** Of calls that cost something, and that can also be made without a key. */
export const callHeaders = {
  ...tagHeader,
  'Idempotency-Key': {
    ...keyHeader['Idempotency-Key'],
    required: false,
    description:
      'Printable ASCII. For 24 hours, the same key with the same body returns the same answer, which is paid once.',
  },
}

/** What a request with such a key may be refused with. */
export const keyErrors = [
  'IDEMPOTENCY_KEY_INVALID',
  'IDEMPOTENCY_KEY_REUSED',
  'IDEMPOTENCY_IN_PROGRESS',
] as const

const printable = /^[\x20-\x7e]{1,128}$/

/** Removes one pair of surrounding quotes, because some clients send a structured header. */
export function readKey(headerValues: CallContext['headerValues']): string {
  const values = headerValues('idempotency-key')
  if (values.length > 1) throw new Failure('IDEMPOTENCY_KEY_INVALID')
  const text = (values[0] ?? '').trim()
  const key = /^".*"$/s.test(text) && text.length >= 2 ? text.slice(1, -1) : text
  if (key === '') throw new Failure('IDEMPOTENCY_KEY_REQUIRED')
  if (!printable.test(key)) throw new Failure('IDEMPOTENCY_KEY_INVALID')
  return key
}

export const fingerprintOf = (content: unknown): string => hash('sha256', canonicalJson(content))
