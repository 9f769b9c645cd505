// Values and types: which may be connected, and how values become text. A browser loads it too.

import { isDeeperThan, maxDepth } from '#core/depth.ts'
import { isRecord } from '#core/record.ts'
import { NodeFailure } from './node-failure.ts'
import type { Media, PortType } from './node-type.ts'

/** The largest result of a node, because it is copied into every node that uses it. */
export const maxValueBytes = 8 * 1024 * 1024
export const maxTextChars = 2 * 1024 * 1024

const readableAsText: ReadonlySet<PortType> = new Set([
  'number',
  'boolean',
  'list',
  'image',
  'video',
])

export function canConnect(from: PortType, to: PortType): boolean {
  if (from === to || isFree(from) || isFree(to)) return true
  return to === 'text' && readableAsText.has(from)
}

const isFree = (type: PortType) => type === 'json' || type === 'any'

/** Reads own members only, because the keys come from users. */
export const member = (value: object, key: string): unknown =>
  Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined

export const isMedia = (value: unknown): value is Media =>
  isRecord(value) && typeof value.url === 'string' && typeof value.mimeType === 'string'

/** Null becomes the empty string, media its address, any other value its JSON text. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  if (isMedia(value)) return value.url
  assertBounded(value)
  return JSON.stringify(value)
}

/** Values may share members, so even a small graph could build one with an enormous JSON text. */
export function assertBounded(value: unknown, levels = maxDepth): void {
  if (measure(value, maxValueBytes) > maxValueBytes) throw tooLarge()
  assertDepth(value, levels)
}

export const tooLarge = () =>
  new NodeFailure('EXPRESSION_LIMIT', 'A value is larger than 8 MiB as JSON.')

/** For values from outside, called as soon as they arrive. */
export function assertDepth(value: unknown, levels = maxDepth): void {
  if (isDeeperThan(value, levels)) {
    throw new NodeFailure('TOO_DEEP', `A value is nested more than ${levels} levels deep.`)
  }
}

/** The approximate length as JSON. Stops counting once the limit is exceeded. */
export function measure(value: unknown, limit: number): number {
  let size = 0
  const stack: unknown[] = [value]
  while (stack.length > 0 && size <= limit) {
    const item = stack.pop()
    size += typeof item === 'string' ? item.length + 2 : 4
    if (Array.isArray(item)) {
      if (size + item.length > limit) return size + item.length
      for (const element of item) stack.push(element)
    } else if (isRecord(item)) {
      for (const key of Object.keys(item)) {
        size += key.length + 4
        stack.push(item[key])
      }
    }
  }
  return size
}
