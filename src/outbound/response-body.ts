import { finished, type Readable, Transform } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib'
import type { Exchange } from './exchange.ts'
import { OutboundFailed } from './outbound-errors.ts'

/** The encodings we ask for, in order of preference; `decoderFor` decodes each of them. */
export const acceptEncoding = 'gzip, br, zstd'

/**
 * The decoded body, which fails with `too_large` as soon as it exceeds `maxBytes`. Decoding is
 * streamed with back-pressure, so a decompression bomb costs one chunk beyond the limit and never
 * its full size.
 */
export function cappedBody({ headers, raw }: Exchange, maxBytes: number): Readable {
  const decoder = decoderFor(headers['content-encoding'])
  const announced = decoder === null ? Number(headers['content-length'] ?? 0) : 0
  if (announced > maxBytes) throw tooLarge(maxBytes)

  let seen = 0
  const body = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length
      done(seen > maxBytes ? tooLarge(maxBytes) : null, chunk)
    },
  })
  // Without a listener, the failure of a body nobody reads would be an uncaught exception.
  body.on('error', () => {})
  body.once('close', () => {
    raw.destroy()
    decoder?.destroy()
  })
  // Unlike an error listener, `finished` also reports a failure that happened before this line.
  finished(raw, (error) => {
    if (error) body.destroy(error)
  })
  decoder?.once('error', (cause) => {
    // Some servers announce an encoding and then send nothing. That is an empty body, not an error.
    if (!raw.readableDidRead) body.end()
    else body.destroy(undecodable(cause))
  })
  if (decoder) raw.pipe(decoder).pipe(body)
  else raw.pipe(body)
  return body
}

function decoderFor(encoding: string | undefined): Transform | null {
  switch (encoding?.trim().toLowerCase() ?? '') {
    case '':
    case 'identity':
      return null
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'deflate':
      return createInflate()
    case 'br':
      return createBrotliDecompress()
    case 'zstd':
      // 8 MiB, the largest window RFC 9659 allows. The library's default would take 128 MiB.
      return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } })
    default:
      throw undecodable(`content-encoding: ${encoding}`)
  }
}

const tooLarge = (maxBytes: number) =>
  new OutboundFailed('too_large', { sent: true, message: `The answer exceeds ${maxBytes} bytes.` })

const undecodable = (cause: unknown) =>
  new OutboundFailed('protocol', { sent: true, message: 'The answer cannot be decoded.', cause })
