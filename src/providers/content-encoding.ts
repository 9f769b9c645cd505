// Answers that a proxy compressed although we never ask for it.
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import type { Answer } from './upstream.ts'

type Headers = Answer['headers']

const codings = {
  gzip: { unzip: promisify(zlib.gunzip), stream: zlib.createGunzip },
  'x-gzip': { unzip: promisify(zlib.gunzip), stream: zlib.createGunzip },
  deflate: { unzip: promisify(zlib.inflate), stream: zlib.createInflate },
  br: { unzip: promisify(zlib.brotliDecompress), stream: zlib.createBrotliDecompress },
  zstd: { unzip: promisify(zlib.zstdDecompress), stream: zlib.createZstdDecompress },
} as const

const codingOf = (headers: Headers) =>
  codings[String(headers['content-encoding']).trim().toLowerCase() as keyof typeof codings]

export const isCompressed = (headers: Headers): boolean =>
  headers['content-encoding'] !== undefined && codingOf(headers) !== undefined

/** Rejects if it is broken, or larger than `maxBytes` once it is decompressed. */
export async function decompress(
  body: Buffer,
  headers: Headers,
  maxBytes: number,
): Promise<Buffer> {
  return codingOf(headers).unzip(body, { maxOutputLength: maxBytes })
}

/** Throws if the answer is broken, and whatever `chunks` throw. A reader who stops ends `chunks`. */
export async function* decompressed(
  chunks: AsyncGenerator<Buffer, void, undefined>,
  headers: Headers,
): AsyncGenerator<Buffer, void, undefined> {
  const packed = Readable.from(chunks)
  const plain = packed.pipe(codingOf(headers).stream())
  packed.on('error', (error) => plain.destroy(error))
  try {
    yield* plain as AsyncIterable<Buffer>
  } finally {
    packed.destroy()
  }
}
