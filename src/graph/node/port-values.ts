// Values for ports: whether one fits the type of a port, and how it is read at run time.

import { fullFormats } from 'ajv-formats/dist/formats.js'
import { NodeFailure } from './node-failure.ts'
import type { Media, NodeExecution, PortType } from './node-type.ts'
import { isMedia, toText } from './values.ts'

const stored = new WeakSet<Media>()

/** Marks media that came from the media store: only these are accepted without a check. */
export function asStored(media: Media): Media {
  stored.add(media)
  return media
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
  if (isMedia(before)) return fillProblem(kindOf(before), isMedia(after) ? after.url : after)
  const type = Array.isArray(before) ? 'list' : (typesOfScalars[typeof before] ?? 'json')
  return fillProblem(type, after)
}

/** The address of what takes the place of a picture or film; null if that is none. */
export function editedMedia(before: unknown, after: unknown) {
  if (!isMedia(before)) return null
  const url = isMedia(after) ? after.url : after
  return typeof url === 'string' ? { url, kind: kindOf(before) } : null
}

const kindOf = ({ mimeType }: Media): 'image' | 'video' =>
  mimeType.startsWith('video/') ? 'video' : 'image'

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
