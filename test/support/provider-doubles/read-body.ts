import type { IncomingMessage } from 'node:http'

export async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  const type = request.headers['content-type'] ?? ''
  if (bytes.length === 0) return undefined
  if (type.startsWith('application/json')) return JSON.parse(bytes.toString())
  const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(type)?.[1]
  return boundary === undefined ? bytes.toString() : readForm(bytes, boundary)
}

/** Fields as text or lists of texts, files as `{mimeType, filename, base64}`. Strict. */
function readForm(bytes: Buffer, boundary: string): Record<string, unknown> {
  const form: Record<string, unknown> = {}
  const text = bytes.toString('latin1')
  if (!text.endsWith(`\r\n--${boundary}--\r\n`)) throw new Error('the form does not end')
  for (const part of `\r\n${text}`.split(`\r\n--${boundary}`).slice(1, -1)) {
    const [head = '', ...rest] = part.split('\r\n\r\n')
    const content = Buffer.from(rest.join('\r\n\r\n'), 'latin1')
    const name = /; name="([^"]+)"/.exec(head)?.[1]
    const filename = /; filename="([^"]+)"/.exec(head)?.[1]
    const mimeType = /content-type: (.+)/i.exec(head)?.[1]
    if (name === undefined) throw new Error('a part without a name')
    const value =
      filename === undefined
        ? content.toString()
        : { filename, mimeType, base64: content.toString('base64') }
    const known = form[name]
    form[name] = filename === undefined && name.endsWith('[]') ? [known ?? [], value].flat() : value
  }
  return form
}
