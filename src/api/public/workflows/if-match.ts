import { Failure, invalid } from '#core/errors.ts'
import { Type } from '#core/schema.ts'
import type { CallContext } from '../../operation.ts'

export const etagOf = (version: number): string => `"v${version}"`

const tag = '(?:W/)?"[\\x21\\x23-\\x7e]*"'

export const ifMatchHeader = {
  'If-Match': {
    schema: Type.String({ pattern: `^(?:\\*|${tag}(?:\\s*,\\s*${tag})*)$` }),
    required: false,
    description: 'The ETag your change is based on. If the version has changed, the answer is 412.',
  },
}

const entityTag = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/
const versionTag = /^"v([1-9][0-9]{0,9})"$/

/** The versions that the caller accepts, or null for any. */
export type Condition = ReadonlySet<number> | null

/** RFC 9110: a list of tags, or `*`. A weak tag never matches here. */
export function readIfMatch(headerValues: CallContext['headerValues']): Condition {
  const tags = headerValues('if-match')
    .flatMap((value) => value.split(','))
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
  if (tags.length === 0 || (tags.length === 1 && tags[0] === '*')) return null
  const bad = tags.find((tag) => !entityTag.test(tag))
  if (bad !== undefined) {
    const message = 'If-Match must be an ETag such as "v3", in double quotes'
    throw invalid(
      'INVALID_REQUEST',
      [{ path: '/headers/If-Match', rule: 'format', message }],
      `${message}.`,
    )
  }
  return new Set(tags.flatMap((tag) => versionTag.exec(tag)?.[1] ?? []).map(Number))
}

/** The version that a change must find, or null for any. */
export function matchVersion(condition: Condition, version: number): number | null {
  if (condition === null) return null
  if (!condition.has(version)) throw changed(version)
  return version
}

export const changed = (version: number): Failure =>
  new Failure('PRECONDITION_FAILED', { details: { currentVersion: version } })
