import { BlobDamaged, BlobMissing } from '#media/blob-store.ts'
import type { OnProgress } from './source.ts'

/** Several at a time, because each one waits for a disk or the network. */
const atOnce = 8
const reportEvery = 100

export async function eachBlob(
  blobs: readonly string[],
  onProgress: OnProgress,
  work: (name: string) => Promise<void>,
): Promise<void> {
  const names = blobs.entries()
  const next = async () => {
    for (const [index, name] of names) {
      if (index % reportEvery === 0) onProgress(`blob ${index} of ${blobs.length}`)
      await work(name)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, next))
}

/** Whether the bytes of the blob are gone or damaged, so that it can never be copied. */
export const isLost = (error: unknown): error is Error =>
  error instanceof BlobMissing || error instanceof BlobDamaged
