// A record refers to complete content of a known media type until it expires. Equal content is
// stored once, and URLs are signed and expire. Never serves anything a browser could execute.
// Never shows a record to another account; only its signed URL gives others access.
import type { Readable } from 'node:stream'
import type { Clock } from '#core/clock.ts'
import { uuidPattern, uuidV7 } from '#core/ids.ts'
import type { Db } from '#store/db.ts'
import {
  copyMedia,
  findMedia,
  findMediaAmong,
  findMediaOfAnyone,
  forgetBlob,
  giveUpArrivals,
  leavingBlobs,
  type MediaFacts,
  type MediaRecord,
  removeMediaBefore,
  type StoredMedia,
} from '#store/tables/media.ts'
import type { BlobStore, ByteRange, Received } from './blob-store.ts'
import { keepBlob } from './keep-blob.ts'
import { measure } from './measure.ts'
import { type SignedAddresses, signedAddresses } from './signed-address.ts'
import { type MediaType, MediaTypeRefused, sniff } from './sniff.ts'

/** Media as callers see it. */
export type Media = MediaFacts & { url: string }

export type SaveOptions = {
  maxBytes: number
  expectedKind?: 'image' | 'video'
  signal?: AbortSignal
}

export type OpenMedia = { record: MediaRecord; open(range?: ByteRange): Promise<Readable> }

export type MediaStore = {
  /** Rejects with MediaTooLarge or MediaTypeRefused, leaving nothing behind. */
  save(
    accountId: string,
    source: AsyncIterable<Uint8Array>,
    options: SaveOptions,
  ): Promise<MediaRecord>
  publicMedia(record: MediaRecord): Media
  verify: SignedAddresses['verify']
  recognise: SignedAddresses['recognise']
  /** Checks no account, so it must only be called after `verify`. */
  openForServing(id: string): Promise<OpenMedia | null>
  openOwn(accountId: string, id: string): Promise<OpenMedia | null>
  /** Those of these records that belong to the account, in no particular order. */
  findOwn(accountId: string, ids: readonly string[]): Promise<MediaRecord[]>
  /** Adds a record of the same content that expires as if saved now; null if none is found. */
  copyOwn(accountId: string, id: string): Promise<MediaRecord | null>
  /**
   * Deletes up to `limit` media records created before `beforeMs`, and as many payloads of runs
   * that are a week older still.
   */
  deleteExpired(beforeMs: number, limit: number): Promise<number>
}

// Longer than any download may take. An upload this old belongs to a process that died.
const arrivalMs = 24 * 3_600_000
// A run is deleted only after it and all earlier runs in its list have ended. Its payloads must
// outlive it.
const runsStayMs = 7 * 24 * 3_600_000
// Sleepers are woken within seconds of their time, unless no server ran or their account is full.
const overdueAfterMs = 3_600_000
const uuid = new RegExp(uuidPattern)

export function createMediaStore(deps: {
  blobs: BlobStore
  db: Db
  clock: Clock
  signingKey: Uint8Array
  oldSigningKey?: Uint8Array
  baseUrl: string
}): MediaStore {
  const { blobs, db, clock } = deps
  const addresses = signedAddresses(deps)
  const toOpen = (found: StoredMedia | null): OpenMedia | null =>
    found && {
      record: found.record,
      open: (range) => blobs.open(found.blob, range, found.record.sizeBytes),
    }

  return {
    async save(accountId, source, options) {
      await using received = await blobs.receive(source, options)
      const type = acceptedType(received, options.expectedKind)
      const nowMs = clock.nowMs()
      const media = { table: 'media', id: uuidV7(nowMs), accountId, createdAtMs: nowMs } as const
      return await keepBlob(deps, received, media, () => measure(type, received))
    },
    publicMedia({ id, accountId, hash, createdAtMs, ...facts }) {
      return { url: addresses.urlOf(id), ...facts }
    },
    verify: addresses.verify,
    recognise: addresses.recognise,
    openForServing: async (id) => toOpen(await findMediaOfAnyone(db, id)),
    openOwn: async (accountId, id) =>
      uuid.test(id) ? toOpen(await findMedia(db, accountId, id)) : null,
    findOwn: (accountId, ids) => {
      const possible = ids.filter((id) => uuid.test(id))
      return findMediaAmong(db, accountId, possible)
    },
    async copyOwn(accountId, id) {
      if (!uuid.test(id)) return null
      const nowMs = clock.nowMs()
      const copy = { table: 'media', id: uuidV7(nowMs), accountId, createdAtMs: nowMs } as const
      return copyMedia(db, { accountId, id }, copy)
    },
    async deleteExpired(beforeMs, limit) {
      const limits = { overdueMs: clock.nowMs() - overdueAfterMs, limit }
      const removed = [
        await removeMediaBefore(db, 'media', { beforeMs, ...limits }),
        await removeMediaBefore(db, 'payloads', { beforeMs: beforeMs - runsStayMs, ...limits }),
      ]
      await giveUpArrivals(db, clock.nowMs() - arrivalMs, limit)
      await deleteLeaving(blobs, db, limit)
      await blobs.sweep()
      return Math.max(...removed)
    },
  }
}

function acceptedType(received: Received, expectedKind?: 'image' | 'video'): MediaType {
  const type = sniff(received.head)
  if (type === null) throw new MediaTypeRefused('the content is of no known media type')
  if (expectedKind !== undefined && !type.startsWith(`${expectedKind}/`)) {
    throw new MediaTypeRefused(`the content is ${type}, not ${expectedKind}`)
  }
  return type
}

/** The row is deleted last. Until then, the next cleanup finds the blob again. */
async function deleteLeaving(blobs: BlobStore, db: Db, limit: number) {
  const names = await leavingBlobs(db, limit)
  const outcomes = await Promise.allSettled(
    names.map(async (name) => {
      await blobs.delete(name)
      await forgetBlob(db, name)
    }),
  )
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected')
  if (failures.length === 0) return
  throw new AggregateError(
    failures.map((failure) => failure.reason),
    'some media could not be deleted',
  )
}
