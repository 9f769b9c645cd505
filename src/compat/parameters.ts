// Reads requests in another vendor's format field by field. Errors name the field that is wrong.
import type { ErrorCode } from '#core/error-table.ts'
import { Failure } from '#core/errors.ts'

export type Fields = Record<string, unknown>

/** `param` as OpenAI writes it: `messages[0].content`. */
export const badParameter = (
  param: string,
  message: string,
  code: ErrorCode = 'INVALID_REQUEST',
): Failure =>
  new Failure(code, { message: `${param || 'The body'} ${message}.`, details: { param } })

/** Treats null as absent, because clients send it for fields they do not set. */
export const given = (fields: Fields, name: string): unknown => fields[name] ?? undefined

export function optionalString(fields: Fields, name: string, at = name): string | undefined {
  const value = given(fields, name)
  if (value === undefined || typeof value === 'string') return value
  throw badParameter(at, 'must be a string')
}

export function requiredString(fields: Fields, name: string, at = name): string {
  const value = optionalString(fields, name, at)
  if (value === undefined || value === '') throw badParameter(at, 'is required')
  return value
}

export function optionalNumber(fields: Fields, name: string): number | undefined {
  const value = given(fields, name)
  if (value === undefined || typeof value === 'number') return value
  throw badParameter(name, 'must be a number')
}

export function optionalCount(fields: Fields, name: string): number | undefined {
  const value = given(fields, name)
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value
  throw badParameter(name, 'must be a whole number from 1 up')
}
