import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { usageFailure } from '../terminal/failure.ts'
import { mimeTypes } from './download.ts'

// A request may have 10 MiB, and base64 turns three bytes into four characters.
const maxBytes = 7 * 1024 * 1024

type ContentPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }

/** Adds pictures to the prompt: URLs unchanged, files as data URLs. */
export async function withPictures(
  prompt: string,
  pictures: readonly string[],
): Promise<string | ContentPart[]> {
  if (pictures.length === 0) return prompt
  const urls = await Promise.all(pictures.map(pictureUrl))
  return [
    { type: 'text', text: prompt },
    ...urls.map((url) => ({ type: 'image_url' as const, image_url: { url } })),
  ]
}

/** A URL unchanged, a file as a data URL. */
export async function pictureUrl(picture: string): Promise<string> {
  if (/^(https?:\/\/|data:)/i.test(picture)) return picture
  const mimeType = mimeTypes[extname(picture).toLowerCase()]
  if (!mimeType?.startsWith('image/')) {
    throw usageFailure(
      `${picture} is neither a URL nor a picture file.`,
      'Files end in .png, .jpg, .jpeg, .webp, .gif or .avif.',
    )
  }
  const bytes = await readFile(picture).catch((error: Error) => {
    throw usageFailure(`${picture} cannot be read: ${error.message}`)
  })
  if (bytes.length > maxBytes) {
    throw usageFailure(`${picture} is larger than 7 MiB.`, 'Send a smaller one, or its address.')
  }
  return `data:${mimeType};base64,${bytes.toString('base64')}`
}
