import { join } from 'node:path'
import type { Clock } from '#core/clock.ts'
import type { BlobStore } from './blob-store.ts'
import { openFileBlobs } from './file-blobs.ts'

/** Opens the blobs under `dataDir`, or in the S3 bucket that `mediaUrl` names. */
export async function openBlobs(options: {
  dataDir: string
  mediaUrl: string
  clock: Clock
  answerWithinMs?: number
}): Promise<BlobStore> {
  const { mediaUrl, clock, answerWithinMs } = options
  const folder = join(options.dataDir, 'media')
  if (mediaUrl === '') return openFileBlobs({ folder, clock })
  // The S3 client takes 70 ms and some megabytes to load, so it is loaded only when used.
  const { openS3Blobs } = await import('./s3-blobs.ts')
  return openS3Blobs({ mediaUrl, spoolFolder: join(folder, 'tmp'), clock, answerWithinMs })
}
