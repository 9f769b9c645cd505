// Bodies of type multipart/form-data, in which the official clients send files. They are read
// whole, up to the limit of their route, and parsed by the platform's own parser.
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Failure } from '#core/errors.ts'

export const formType = 'multipart/form-data'

/** More fields and files than any real request has. Each costs memory beyond its bytes. */
const maxParts = 64
/** Of one part. Real ones have about a hundred bytes. */
const maxHeaderBytes = 8 * 1024
/** For fields that are not files: four times the longest prompt that any vendor accepts. */
const maxValueLength = 128 * 1024

/** A body of type multipart/form-data. */
export type FormFields = {
  values: Record<string, string>
  /** Fields whose names end in `[]`, keyed without it. */
  lists: Record<string, string[]>
  files: { name: string; bytes: Uint8Array; fileName: string; mimeType: string }[]
}

export async function readForm(request: FastifyRequest, maxBytes: number): Promise<FormFields> {
  const type = request.headers['content-type'] ?? ''
  if (!type.toLowerCase().startsWith(formType)) throw wrongType()
  const boundary = /boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i.exec(type)
  const mark = boundary?.[1] ?? boundary?.[2]
  if (mark === undefined) throw unreadable()
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  const bytes = await readAll(request.body as Readable, maxBytes)
  assertParts(bytes, `--${mark}`)
  const form = await new Response(bytes, { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw unreadable()
    })
  return fieldsOf(form)
}

async function fieldsOf(form: FormData): Promise<FormFields> {
  const values: FormFields['values'] = Object.create(null)
  const lists: FormFields['lists'] = Object.create(null)
  const files: FormFields['files'] = []
  for (const [name, value] of form) {
    if (typeof value !== 'string') {
      const bytes = new Uint8Array(await value.arrayBuffer())
      files.push({ name, bytes, fileName: value.name, mimeType: value.type })
      continue
    }
    if (value.length > maxValueLength) throw unreadable(`"${name.slice(0, 100)}" is too long.`)
    const isList = name.endsWith('[]')
    if (isList) lists[name.slice(0, -2)] = [...(lists[name.slice(0, -2)] ?? []), value]
    else values[name] = value
  }
  return { values, lists, files }
}

const wrongType = () =>
  new Failure('UNSUPPORTED_MEDIA_TYPE', { message: `Send the body as ${formType}.` })

const tooLarge = () => new Failure('PAYLOAD_TOO_LARGE', { headers: { Connection: 'close' } })

const unreadable = (why = '') =>
  new Failure('INVALID_REQUEST', { message: `The body is not acceptable form data. ${why}`.trim() })

export async function readAll(body: Readable, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The platform's parser limits neither, and takes seconds for megabytes of headers. */
function assertParts(bytes: Buffer, line: string) {
  let count = 0
  for (let at = bytes.indexOf(line); at !== -1; at = bytes.indexOf(line, at + line.length)) {
    const start = at + line.length
    if (bytes.toString('latin1', start, start + 2) === '--') continue
    if (++count > maxParts) throw unreadable(`It has more than ${maxParts} parts.`)
    if (!bytes.subarray(start, start + maxHeaderBytes).includes('\r\n\r\n'))
      throw unreadable(`The headers of a part take more than ${maxHeaderBytes} bytes.`)
  }
}
