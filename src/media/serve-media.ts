import type { Readable } from 'node:stream'
import type { MediaRecord } from '#store/tables/media.ts'
import { BlobMissing, type ByteRange } from './blob-store.ts'
import { readRange } from './byte-range.ts'
import type { MediaStore } from './media-store.ts'
import { mediaTypes } from './sniff.ts'

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

/** The caller must destroy the body if the client disconnects. */
export async function serveMedia(
  store: Pick<MediaStore, 'verify' | 'openForServing'>,
  request: MediaRequest,
): Promise<MediaAnswer> {
  const grant = store.verify(request.id, request.query)
  const media = grant && (await store.openForServing(request.id))
  if (!media) return notFound
  const { record } = media
  const etag = `"${record.hash}"`
  const shared = {
    ETag: etag,
    'Cache-Control': `private, max-age=${grant.maxAgeSeconds}`,
    ...safety,
  }
  const one = (name: string) => {
    const value = request.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }
  if (listsTag(one('if-none-match'), etag)) return { status: 304, headers: shared }

  const range = rangeOf(request.method, one('range'), one('if-range'), record, etag)
  if (range === 'unsatisfiable') {
    return {
      status: 416,
      headers: { ...safety, 'Content-Range': `bytes */${record.sizeBytes}`, 'Content-Length': '0' },
    }
  }
  const headers = { ...shared, ...describe(record), ...sizes(record, range) }
  const status = range === 'whole' ? 200 : 206
  if (request.method === 'HEAD') return { status, headers }
  try {
    return { status, headers, body: await media.open(range === 'whole' ? undefined : range) }
  } catch (error) {
    // The record expired after it was read.
    if (error instanceof BlobMissing) return notFound
    throw error
  }
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

function sizes({ sizeBytes }: MediaRecord, range: ByteRange | 'whole'): Record<string, string> {
  if (range === 'whole') return { 'Content-Length': String(sizeBytes) }
  return {
    'Content-Length': String(range.end - range.start + 1),
    'Content-Range': `bytes ${range.start}-${range.end}/${sizeBytes}`,
  }
}

/** Weak comparison (RFC 9110 §13.1.2). */
const listsTag = (header: string | undefined, etag: string) =>
  header?.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
