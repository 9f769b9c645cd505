// Turns any JSON value into message content. Strings and known content parts keep their meaning;
// everything else is passed on as its JSON text, so nothing is dropped.
import type { CacheLifetime, Hosted } from './text-stream.ts'

/** `cache`: the vendor is asked to keep the request up to here. */
export type RawPart = {
  cache?: CacheLifetime
} /** `hosted`: what a hosted tool left in the conversation; its vendor gets that, others the text. */ & (
  | { type: 'text'; text: string; hosted?: Hosted }
  | { type: 'image_url'; url: string }
  /** A PDF, as an address or a data URL. */
  | { type: 'document'; url: string; name?: string }
)

/** Parts that were read already. No JSON value is one, so nobody mistakes other content for it. */
export class RawParts {
  readonly parts: readonly RawPart[]

  constructor(parts: readonly RawPart[]) {
    this.parts = parts
  }
}

export function readContent(content: unknown): string | readonly RawPart[] {
  if (typeof content === 'string') return content
  if (content instanceof RawParts) return content.parts
  if (Array.isArray(content) && content.length > 0) {
    const parts = content.map(readPart)
    if (parts.every((part) => part !== null)) return parts
  }
  return JSON.stringify(content)
}

function readPart(value: unknown): RawPart | null {
  if (typeof value !== 'object' || value === null) return null
  const part = value as Record<string, unknown>
  if (part.type === 'text' && typeof part.text === 'string')
    return { type: 'text', text: part.text }
  const image = part.image_url as { url?: unknown } | null | undefined
  if (part.type === 'image_url' && typeof image?.url === 'string') {
    return { type: 'image_url', url: image.url }
  }
  return null
}

/** How many images the messages contain. */
export function countImages(messages: readonly { content?: unknown }[]): number {
  return countParts(messages, 'image_url')
}

export const countDocuments = (messages: readonly { content?: unknown }[]): number =>
  countParts(messages, 'document')

function countParts(messages: readonly { content?: unknown }[], wanted: RawPart['type']): number {
  let count = 0
  for (const { content } of messages) {
    if (!Array.isArray(content) && !(content instanceof RawParts)) continue
    const read = readContent(content)
    if (typeof read !== 'string') count += read.filter(({ type }) => type === wanted).length
  }
  return count
}

/** True if there is neither text nor an image. A provider would bill such a call all the same. */
function isBlank(content: unknown): boolean {
  if (content === undefined) return true
  const read = readContent(content)
  const hasMedia = typeof read === 'object' && read.some(({ type }) => type !== 'text')
  return !hasMedia && textOf(read).trim() === ''
}

/**
 * True if every message is blank. System messages count only when there are no others: a call
 * with instructions alone is allowed.
 */
export function isWithoutPrompt(messages: readonly { role: string; content?: unknown }[]): boolean {
  for (const { role, content } of messages)
    if (role !== 'system' && typeof content === 'string' && content.trim() !== '') return false
  const prompts = messages.filter(({ role }) => role !== 'system')
  return (prompts.length > 0 ? prompts : messages).every(({ content }) => isBlank(content))
}

export const textOf = (content: string | readonly RawPart[]): string =>
  typeof content === 'string'
    ? content
    : content
        .filter((part) => part.type === 'text')
        .map((part) => part.text)
        .join('\n')

export const imageUrlsOf = (content: string | readonly RawPart[]): string[] =>
  typeof content === 'string'
    ? []
    : content.filter((part) => part.type === 'image_url').map((part) => part.url)
