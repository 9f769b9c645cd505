// How a value is best shown: media as media, text as text, anything else as a tree.
import type { Media } from '#console/api/types.ts'
import { mediaPath } from '#console/lib/media-path.ts'

export type Shown =
  | { readonly kind: 'media'; readonly media: readonly Media[] }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'texts'; readonly texts: readonly string[] }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'cut'; readonly text: string; readonly bytes: number }

/** More than anyone reads, and enough to slow a page down. */
const mostBytes = 256 * 1024

export function shownAs(value: unknown): Shown {
  if (isMedia(value)) return { kind: 'media', media: [value] }
  if (Array.isArray(value) && value.length > 0 && value.every(isMedia))
    return { kind: 'media', media: value }
  const text = textOf(value)
  // A character is one to three bytes, so bytes are counted only for texts that may exceed the
  // limit.
  if (text.length * 3 > mostBytes) {
    const bytes = new TextEncoder().encode(text)
    if (bytes.length > mostBytes)
      return { kind: 'cut', text: cutTo(bytes, mostBytes), bytes: bytes.length }
  }
  if (typeof value === 'string') return { kind: 'text', text }
  return isProse(value) ? { kind: 'texts', texts: value } : { kind: 'json', value }
}

/** Texts longer than a word or two: shown one after the other rather than as a JSON list. */
const isProse = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.every((one) => typeof one === 'string') &&
  value.some((one) => one.length > 60 || one.includes('\n'))

/** A run receives media by address; the node's type says what is there. */
export function asMedia(value: unknown, nodeType: string | undefined): unknown {
  const kind = /^input\.(image|video)$/.exec(nodeType ?? '')?.[1]
  return kind && typeof value === 'string' && mediaPath(value).startsWith('/')
    ? { url: value, mimeType: `${kind}/*` }
    : value
}

export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')

/** A character that was cut in two is dropped. */
const cutTo = (bytes: Uint8Array, most: number): string =>
  new TextDecoder().decode(bytes.subarray(0, most)).replace(/\uFFFD$/, '')

/** Only media on this server: the page may load nothing from elsewhere. */
const mostMembers = 20

/** Of an object whose members are worth more than a tree: pictures, videos, prose. */
export function membersOf(value: unknown): [string, unknown][] | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isMedia(value))
    return null
  const members = Object.entries(value)
  const isWorth = members.some(([, one]) => shownAs(one).kind === 'media' || isProse([one]))
  return isWorth && members.length <= mostMembers ? members : null
}

const isMedia = (value: unknown): value is Media =>
  typeof value === 'object' &&
  value !== null &&
  'url' in value &&
  typeof value.url === 'string' &&
  mediaPath(value.url).startsWith('/') &&
  'mimeType' in value &&
  typeof value.mimeType === 'string' &&
  /^(image|video)\//.test(value.mimeType)
