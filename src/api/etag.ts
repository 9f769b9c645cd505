// Strong entity tags. If the client already has an answer with the same tag, it gets a 304.
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

/** The answer 304 if the caller already has this version, otherwise null. */
export const ifKnown = (
  { headerValues }: Pick<CallContext, 'headerValues'>,
  etag: string,
): Answer | null =>
  isKnownTag(headerValues('if-none-match'), etag)
    ? { status: 304, headers: { ETag: etag }, body: undefined }
    : null
