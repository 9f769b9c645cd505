// Bodies of type multipart/form-data, as the official clients send files. They are read whole, up
// to the limit of their route, and parsed by the platform's own parser.
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { FormFields } from '#core/compat-api.ts'
import { Failure } from '#core/errors.ts'

export const formType = 'multipart/form-data'

/** No request has more fields and files; each costs memory beyond its bytes. */
const maxParts = 64

export async function readForm(request: FastifyRequest, maxBytes: number): Promise<FormFields> {
  const type = request.headers['content-type'] ?? ''
  if (!type.toLowerCase().startsWith(formType)) throw wrongType()
  const boundary = /boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i.exec(type)
  const mark = boundary?.[1] ?? boundary?.[2]
  if (mark === undefined) throw unreadable()
  const bytes = await readAll(request.body as Readable, maxBytes)
  if (partsOf(bytes, mark) > maxParts) throw unreadable(`It has more than ${maxParts} parts.`)
  const form = await new Response(bytes, { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw unreadable()
    })
  const fields: FormFields = { values: {}, files: [] }
  for (const [name, value] of form) {
    if (typeof value === 'string') fields.values[name] = value
    else fields.files.push({ name, bytes: new Uint8Array(await value.arrayBuffer()) })
  }
  return fields
}

const wrongType = () =>
  new Failure('UNSUPPORTED_MEDIA_TYPE', { message: `Send the body as ${formType}.` })

const unreadable = (why = '') =>
  new Failure('INVALID_REQUEST', { message: `The body is not acceptable form data. ${why}`.trim() })

export async function readAll(body: Readable, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) {
      throw new Failure('PAYLOAD_TOO_LARGE', { headers: { Connection: 'close' } })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Counts no further than it has to. */
function partsOf(bytes: Buffer, mark: string): number {
  const line = `--${mark}`
  let count = 0
  let at = bytes.indexOf(line)
  while (at !== -1 && count <= maxParts) {
    count++
    at = bytes.indexOf(line, at + line.length)
  }
  return count
}
