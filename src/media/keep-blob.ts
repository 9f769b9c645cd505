import type { Db } from '#store/db.ts'
import {
  addArrivingBlob,
  addMediaToArrivedBlob,
  addMediaToLiveBlob,
  type MediaFacts,
  type MediaRecord,
  type NewMedia,
} from '#store/tables/media.ts'
import type { BlobStore, Received } from './blob-store.ts'

/**
 * Keeps an upload, or reuses a blob with the same content, and adds the row that refers to it.
 * After a crash at any point, either the row refers to a complete blob, or there is no row and
 * the cleanup removes the blob.
 */
export async function keepBlob(
  { blobs, db }: { blobs: BlobStore; db: Db },
  received: Received,
  media: NewMedia,
  measure: () => Promise<MediaFacts>,
): Promise<MediaRecord> {
  const { name, hash } = received
  const shared = await addMediaToLiveBlob(db, hash, media)
  if (shared) return shared
  const facts = await measure()
  await addArrivingBlob(db, { name, hash, facts, createdAtMs: media.createdAtMs })
  await received.keep()
  const record = await addMediaToArrivedBlob(db, { name, hash }, media)
  if (record) return record
  await blobs.delete(name)
  throw new Error('storing the media took so long that the cleanup removed it')
}
