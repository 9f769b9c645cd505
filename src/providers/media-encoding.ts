// The encodings in which providers accept and return files: base64, data URLs, multipart forms.
import { createHash } from 'node:crypto'
import type { MediaInput } from './provider.ts'

export const toBase64 = ({ bytes }: MediaInput): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')

export const toDataUrl = (media: MediaInput): string =>
  `data:${media.mimeType};base64,${toBase64(media)}`

export function fromDataUrl(url: string): MediaInput | undefined {
  const match = /^data:(?<mimeType>[\w.+-]+\/[\w.+-]+);base64,/.exec(url)
  if (!match?.groups?.mimeType) return undefined
  return {
    bytes: Buffer.from(url.slice(match[0].length), 'base64'),
    mimeType: match.groups.mimeType,
  }
}

const unknownType = ['application/octet-stream', 'bin'] as const

/** `fileName`: for providers that judge a file by its name; has no quotes and no line breaks. */
export type FormPart =
  | { name: string; value: string }
  | { name: string; file: MediaInput; fileName?: string }

/**
 * multipart/form-data in one piece, so that its length is known before it is sent. The boundary
 * is a digest of the content, so nobody can write it into a prompt beforehand.
 */
export function toForm(parts: FormPart[]): { contentType: string; body: Buffer } {
  const digest = createHash('sha256')
  for (const part of parts) digest.update('file' in part ? part.file.bytes : part.value)
  const boundary = `----atelier${digest.digest('hex').slice(0, 40)}`
  const pieces: Uint8Array[] = []
  for (const part of parts) {
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${part.name}"`
    if ('file' in part) {
      const [mimeType, extension] = /^\w+\/([\w.+-]+)$/.exec(part.file.mimeType) ?? unknownType
      const fileName = part.fileName ?? `${part.name.replace('[]', '')}.${extension}`
      const file = `; filename="${fileName}"\r\ncontent-type: ${mimeType}`
      pieces.push(Buffer.from(`${head}${file}\r\n\r\n`), part.file.bytes, Buffer.from('\r\n'))
    } else {
      pieces.push(Buffer.from(`${head}\r\n\r\n${part.value}\r\n`))
    }
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`))
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(pieces) }
}
