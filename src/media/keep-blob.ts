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
 * Keeps what was received, or shares what is kept already, and adds the row that shows it: after a
 * crash at any point either the row leads to whole bytes, or nothing does and they are removed.
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
  throw new Error('storing the media took so long that it was given up')
}
