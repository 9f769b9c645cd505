// Bodies of routes that others call with a signature: the bytes as they came, of any content type.
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Failure } from '#core/errors.ts'
import { readAll } from './form-body.ts'

/** For routes with `takesRaw`. Larger bodies are refused with PAYLOAD_TOO_LARGE. */
export async function readRawBody(request: FastifyRequest, maxBytes: number): Promise<Buffer> {
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
    const message = 'Content-Encoding is not supported; send the plain bytes.'
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', { message })
  }
  const { body } = request
  // JSON has been read already, up to the limit of the route.
  if (Buffer.isBuffer(body)) return body
  return body instanceof Readable ? readAll(body, maxBytes) : Buffer.alloc(0)
}
