// Bodies as HTML forms and OAuth clients send them, up to a size that no honest one reaches.
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Failure } from '#core/errors.ts'
import { readAll } from '../form-body.ts'

export const urlFormType = 'application/x-www-form-urlencoded'
const maxBytes = 16 * 1024

/** For routes that take `urlFormType` as a stream. Without a body, the form has no fields. */
export async function readUrlForm(request: FastifyRequest): Promise<URLSearchParams> {
  const { body } = request
  if (body === undefined) return new URLSearchParams()
  // A JSON body has been parsed before the route sees it.
  if (!(body instanceof Readable)) {
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', { message: `Send the body as ${urlFormType}.` })
  }
  return new URLSearchParams((await readAll(body, maxBytes)).toString('utf8'))
}
