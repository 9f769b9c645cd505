// Strong entity tags: of two answers with the same tag, the second need not be sent.
import { hash } from 'node:crypto'
import type { Answer, CallContext } from './operation.ts'

export const etagOfText = (text: string): string => `"${hash('sha1', text, 'base64url')}"`

/** RFC 9110 section 13.1.2: a list of tags, compared weakly, or `*`. */
export const isKnownTag = (given: readonly string[], etag: string): boolean =>
  given.some((value) =>
    value.split(',').some((tag) => {
      const trimmed = tag.trim()
      return trimmed === '*' || trimmed === etag || trimmed === `W/${etag}`
    }),
  )

/** The answer for a caller who has this already; null for everybody else. */
export const ifKnown = (
  { headerValues }: Pick<CallContext, 'headerValues'>,
  etag: string,
): Answer | null =>
  isKnownTag(headerValues('if-none-match'), etag)
    ? { status: 304, headers: { ETag: etag }, body: undefined }
    : null
