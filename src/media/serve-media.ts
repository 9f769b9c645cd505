import { Readable } from 'node:stream'
import { Failure } from '#core/errors.ts'
import type { MediaRecord } from '#store/tables/media.ts'
import { BlobMissing, type ByteRange } from './blob-store.ts'
import { readRange } from './byte-range.ts'
import type { MediaStore, OpenMedia } from './media-store.ts'
import { mediaTypes } from './sniff.ts'
import { readWidth, type Thumbnails } from './thumbnails/thumbnails.ts'

export type MediaRequest = {
  method: 'GET' | 'HEAD'
  headers: { readonly [name: string]: string | string[] | undefined }
  id: string
  query: unknown
}

/** A 404 has neither headers nor body, so that the caller can send its own error format. */
export type MediaAnswer = {
  status: 200 | 206 | 304 | 404 | 416
  headers: Record<string, string>
  body?: Readable
}

const notFound: MediaAnswer = { status: 404, headers: {} }

type Serving = {
  store: Pick<MediaStore, 'verify' | 'openForServing'>
  thumbnails: Pick<Thumbnails, 'make'>
}

/** The caller must destroy the body if the client disconnects. */
export async function serveMedia(
  { store, thumbnails }: Serving,
  request: MediaRequest,
): Promise<MediaAnswer> {
  const grant = store.verify(request.id, request.query)
  const media = grant && (await store.openForServing(request.id))
  if (!media) return notFound
  const shared = { 'Cache-Control': `private, max-age=${grant.maxAgeSeconds}`, ...safety }
  try {
    return (
      (await smallAnswer(media, thumbnails, request, shared)) ??
      (await wholeAnswer(media, request, shared))
    )
  } catch (error) {
    // The record expired after it was read.
    if (error instanceof BlobMissing) return notFound
    throw error
  }
}

type Headers = Record<string, string>

async function wholeAnswer(
  { record, open }: OpenMedia,
  { method, headers: { range: asked, ...asking } }: MediaRequest,
  safe: Headers,
): Promise<MediaAnswer> {
  const etag = `"${record.hash}"`
  const shared = { ETag: etag, ...safe }
  if (listsTag(asking['if-none-match'], etag)) return { status: 304, headers: shared }

  const range = rangeOf(method, oneLine(asked), oneLine(asking['if-range']), record, etag)
  if (range === 'unsatisfiable') {
    return {
      status: 416,
      headers: { ...safety, 'Content-Range': `bytes */${record.sizeBytes}`, 'Content-Length': '0' },
    }
  }
  const headers = { ...shared, ...describe(record), ...sizes(record, range) }
  const status = range === 'whole' ? 200 : 206
  if (method === 'HEAD') return { status, headers }
  return { status, headers, body: await open(range === 'whole' ? undefined : range) }
}

/** Null if no thumbnail is asked for, or none can be made: then the whole picture is served. */
async function smallAnswer(
  media: OpenMedia,
  thumbnails: Pick<Thumbnails, 'make'>,
  { method, headers: asking, query }: MediaRequest,
  safe: Headers,
): Promise<MediaAnswer | null> {
  const width = readWidth(query)
  if (width === null) return null
  const { id, hash, mimeType } = media.record
  if (!mimeType.startsWith('image/')) {
    const message = `w asks for a smaller picture, and this is ${mimeType}: leave it out.`
    throw new Failure('INVALID_REQUEST', { message, details: { parameter: 'w', mimeType } })
  }
  const etag = `"${hash}-w${width}"`
  const shared = { ETag: etag, ...safe }
  if (listsTag(asking['if-none-match'], etag)) return { status: 304, headers: shared }
  const webp = await thumbnails.make(media, width)
  if (!webp) return null
  const headers = {
    ...shared,
    'Content-Type': 'image/webp',
    'Content-Disposition': `inline; filename="${id}-${width}.webp"`,
    // It is small, and is always served as a whole.
    'Accept-Ranges': 'none',
    'Content-Length': String(webp.length),
  }
  if (method === 'HEAD') return { status: 200, headers }
  return { status: 200, headers, body: Readable.from([webp]) }
}

/**
 * The content comes from others, so a browser must neither execute it nor guess its type. Pages
 * of any origin may embed it.
 */
const safety = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Cross-Origin-Resource-Policy': 'cross-origin',
}

const describe = ({ id, mimeType }: MediaRecord) => ({
  'Content-Type': mimeType,
  'Content-Disposition': `inline; filename="${id}.${extensions.get(mimeType) ?? 'bin'}"`,
  'Accept-Ranges': 'bytes',
})
const extensions = new Map<string, string>(Object.entries(mediaTypes))

/** A range applies to GET only, and with If-Range only if the content is still the same. */
function rangeOf(
  method: MediaRequest['method'],
  range: string | undefined,
  ifRange: string | undefined,
  record: MediaRecord,
  etag: string,
) {
  if (method !== 'GET' || (ifRange !== undefined && ifRange.trim() !== etag)) return 'whole'
  return readRange(range, record.sizeBytes)
}

function sizes({ sizeBytes }: MediaRecord, range: ByteRange | 'whole'): Headers {
  if (range === 'whole') return { 'Content-Length': String(sizeBytes) }
  return {
    'Content-Length': String(range.end - range.start + 1),
    'Content-Range': `bytes ${range.start}-${range.end}/${sizeBytes}`,
  }
}

type Header = string | string[] | undefined
const oneLine = (value: Header) => (Array.isArray(value) ? value.join(', ') : value)

/** Weak comparison (RFC 9110 §13.1.2). */
const listsTag = (header: Header, etag: string) =>
  oneLine(header)
    ?.split(',')
    .some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
