// Values and ports: which types may be connected, and how values are converted.

import { fullFormats } from 'ajv-formats/dist/formats.js'
import { isDeeperThan, maxDepth } from '#core/depth.ts'
import { isRecord } from '#core/record.ts'
import { NodeFailure } from './node-failure.ts'
import type { Media, NodeExecution, PortType } from './node-type.ts'

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

const stored = new WeakSet<Media>()

/** Marks media that came from the media store: only these are accepted without a check. */
export function asStored(media: Media): Media {
  stored.add(media)
  return media
}

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

/** Why a constant cannot fill a port of this type, or null. */
export function fillProblem(type: PortType, value: unknown): string | null {
  switch (type) {
    case 'text':
      return typeof value === 'string' ? null : 'must be a string'
    case 'number':
      return typeof value === 'number' ? null : 'must be a number'
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false'
    case 'list':
      return Array.isArray(value) ? null : 'must be an array'
    case 'image':
    case 'video':
      return isMediaUrl(value, type) ? null : `must be an http(s) address or a data:${type}/… URL`
    case 'json':
    case 'any':
      return null
    default:
      return type satisfies never
  }
}

/** Why a person may not put one value in the place of another, or null: by the rules of inputs. */
export function editProblem(before: unknown, after: unknown): string | null {
  if (isMedia(before)) {
    const kind = before.mimeType.startsWith('video/') ? 'video' : 'image'
    return fillProblem(kind, isMedia(after) ? after.url : after)
  }
  const type = Array.isArray(before) ? 'list' : (typesOfScalars[typeof before] ?? 'json')
  return fillProblem(type, after)
}

const typesOfScalars: Record<string, PortType> = {
  ...{ string: 'text', number: 'number', boolean: 'boolean' },
}

/** The JSON Schema uses the same pattern, so what a form accepts is not refused later. */
export const mediaUrlPattern = (kind: 'image' | 'video') => `^(https?://[^/?#]|data:${kind}/)`

const mediaUrl = {
  image: new RegExp(mediaUrlPattern('image')),
  video: new RegExp(mediaUrlPattern('video')),
}

export const isMediaUrl = (value: unknown, kind: 'image' | 'video'): value is string =>
  typeof value === 'string' && mediaUrl[kind].test(value) && isUri(value)

const isUri = (text: string) => typeof fullFormats.uri === 'function' && fullFormats.uri(text)

/** Values from ports of the types json and any are checked only here, at run time. */
export async function readAs(
  context: Pick<NodeExecution, 'importMedia'>,
  type: PortType,
  value: unknown,
): Promise<unknown> {
  if (type === 'text') return toText(value)
  if (type === 'json' || type === 'any') return value
  if (type === 'image' || type === 'video') return readMedia(context, type, value)
  const problem = fillProblem(type, value)
  if (problem !== null) throw new NodeFailure('TYPE_MISMATCH', `The value ${problem}.`)
  return value
}

/** Media that did not come from the store is fetched from its address and checked. */
function readMedia(
  context: Pick<NodeExecution, 'importMedia'>,
  kind: 'image' | 'video',
  value: unknown,
): Promise<Media> | Media {
  if (isMedia(value) && stored.has(value)) {
    if (value.mimeType.startsWith(`${kind}/`)) return value
    throw new NodeFailure('TYPE_MISMATCH', `The value is ${value.mimeType}, not ${kind}.`)
  }
  const url = isMedia(value) ? value.url : value
  if (isMediaUrl(url, kind)) return context.importMedia(url, kind)
  throw new NodeFailure('TYPE_MISMATCH', `The value ${fillProblem(kind, url)}.`)
}
