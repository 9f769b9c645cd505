import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Failure } from '#core/errors.ts'
import { type BodyMemory, createBodyMemory, isSmall } from './body-memory.ts'
import { parseStrictJson } from './strict-json.ts'

declare module 'fastify' {
  interface FastifyRequest {
    bodyBytes: number
  }
}

/**
 * JSON bodies are buffered up to the route's limit. Every other content type is refused at its
 * first byte, except on routes that stream or ignore the body.
 */
export function installBodyParsers(app: FastifyInstance, memory: BodyMemory = createBodyMemory()) {
  app.decorateRequest('bodyBytes', 0)
  app.decorateRequest('heldBody', null)
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (isSmall(request)) return done(null, payload)
    const { streams, buffersStream } = request.routeOptions.config
    // What is passed on as it arrives takes no memory.
    if (streams && !buffersStream) return done(null, payload)
    try {
      done(null, memory.expect(request, reply, payload))
    } catch (failure) {
      done(failure as Failure)
    }
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    (request, bytes, done) => {
      request.bodyBytes = bytes.length
      if (bytes.length === 0) return done(null, undefined)
      if (request.routeOptions.config.takesRaw) return done(null, bytes)
      if (isEncoded(request))
        return done(
          new Failure('UNSUPPORTED_MEDIA_TYPE', {
            message: 'Content-Encoding is not supported; send plain JSON.',
          }),
        )
      try {
        memory.received(request, bytes)
        done(null, parseStrictJson(bytes))
      } catch (failure) {
        done(failure as Failure)
      }
    },
  )
  app.addContentTypeParser('*', (request, payload, done) => {
    const { streams, takesRaw } = request.routeOptions.config
    if (takesRaw) return done(null, payload)
    if (streams) return isAmong(streams, request) ? done(null, payload) : done(refused(streams))
    if (request.routeOptions.config.takesBody === false) {
      payload.resume()
      return done(null, undefined)
    }
    const refuse = () => done(new Failure('UNSUPPORTED_MEDIA_TYPE'))
    if (Number(request.headers['content-length'] ?? 0) > 0) return refuse()
    payload.once('error', done)
    payload.once('end', () => done(null, undefined))
    payload.once('data', () => {
      payload.removeAllListeners('end')
      refuse()
    })
  })
}

/** A type such as `image/*` matches every subtype. */
const isAmong = (types: readonly string[], request: FastifyRequest): boolean => {
  const given = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const [kind] = given.split('/')
  return !isEncoded(request) && (types.includes(given) || types.includes(`${kind}/*`))
}

const refused = (types: readonly string[]) =>
  new Failure('UNSUPPORTED_MEDIA_TYPE', {
    message: `Send the bytes themselves, not encoded, as ${types.join(' or ')}.`,
    headers: { Connection: 'close' },
  })

const isEncoded = (request: FastifyRequest) =>
  (request.headers['content-encoding'] ?? 'identity') !== 'identity'
