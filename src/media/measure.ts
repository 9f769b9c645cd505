import { open } from 'node:fs/promises'
import { readPictureHeader } from '#core/picture-header.ts'
import type { MediaFacts } from '#store/tables/media.ts'
import type { Received } from './blob-store.ts'
import { type MovieFacts, movieFacts } from './movie-facts.ts'
import type { MediaType } from './sniff.ts'

/** Reads what the headers of the file say, without decoding it; unknown facts are left out. */
export async function measure(mimeType: MediaType, received: Received): Promise<MediaFacts> {
  const facts = { mimeType, sizeBytes: received.sizeBytes }
  switch (mimeType) {
    case 'video/mp4':
    case 'video/quicktime':
      return { ...facts, ...(await readMovie(received)) }
    case 'audio/mp4':
      return { ...facts, ...(await readMovie(received)), hasAudio: true }
    default:
      return { ...facts, ...readSize(received.head) }
  }
}

function readSize(head: Uint8Array) {
  const header = readPictureHeader(head)
  return header && { width: header.width, height: header.height }
}

async function readMovie({ path, sizeBytes }: Received): Promise<MovieFacts | null> {
  await using handle = await open(path, 'r')
  return await movieFacts(async (offset, length) => {
    const buffer = Buffer.alloc(length)
    const { bytesRead } = await handle.read(buffer, 0, length, offset)
    return buffer.subarray(0, bytesRead)
  }, sizeBytes)
}
