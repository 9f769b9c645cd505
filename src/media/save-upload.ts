import { Failure } from '#core/errors.ts'
import { MediaTooLarge } from './blob-store.ts'
import type { MediaStore } from './media-store.ts'
import { MediaTypeRefused } from './sniff.ts'

// The rest of a refused body is not read; the connection closes after the response.
const headers = { Connection: 'close' }

type Upload = { kind: 'image' | 'video'; announcedBytes: number; signal: AbortSignal }

/** Streams uploads of signed-in users into the media store. */
export const uploadsInto =
  (media: MediaStore, { maxBytes }: { maxBytes: number }) =>
  async (
    accountId: string,
    source: AsyncIterable<Uint8Array>,
    { kind, announcedBytes, signal }: Upload,
  ) => {
    const tooLarge = () =>
      new Failure('PAYLOAD_TOO_LARGE', {
        message: `A file may have at most ${maxBytes} bytes.`,
        headers,
      })
    if (announcedBytes > maxBytes) throw tooLarge()
    try {
      const options = { maxBytes, expectedKind: kind, signal }
      return media.publicMedia(await media.save(accountId, source, options))
    } catch (error) {
      if (error instanceof MediaTooLarge) throw tooLarge()
      if (!(error instanceof MediaTypeRefused)) throw error
      const message = `The bytes cannot be used: ${error.message}.`
      throw new Failure('UNSUPPORTED_MEDIA_TYPE', { message, headers })
    }
  }
