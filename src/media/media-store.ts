// Promises: a record points to whole bytes of a known media type until it expires; equal content
// is kept once; addresses are signed and end. Never serves what a browser could run, and never
// shows a record to another account: only a signed address opens it to others.
import type { Readable } from 'node:stream'
import type { Clock } from '#core/clock.ts'
import { uuidPattern, uuidV7 } from '#core/ids.ts'
import type { Db } from '#store/db.ts'
import {
  copyMedia,
  findMedia,
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

/** As shown to callers. */
export type Media = MediaFacts & { url: string }

export type SaveOptions = {
  maxBytes: number
  expectedKind?: 'image' | 'video'
  signal?: AbortSignal
}

export type OpenMedia = { record: MediaRecord; open(range?: ByteRange): Promise<Readable> }

export type MediaStore = {
  /** Rejects with MediaTooLarge or MediaTypeRefused; then nothing is left behind. */
  save(
    accountId: string,
    source: AsyncIterable<Uint8Array>,
    options: SaveOptions,
  ): Promise<MediaRecord>
  publicMedia(record: MediaRecord): Media
  verify: SignedAddresses['verify']
  recognise: SignedAddresses['recognise']
  /** Only after `verify`: it asks for no account. */
  openForServing(id: string): Promise<OpenMedia | null>
  openOwn(accountId: string, id: string): Promise<OpenMedia | null>
  /** A new record of the same bytes, which lives as if it were saved now. Null where it has gone. */
  copyOwn(accountId: string, id: string): Promise<MediaRecord | null>
  /** Deletes up to `limit` records made before `beforeMs`, and as many payloads of runs that were. */
  deleteExpired(beforeMs: number, limit: number): Promise<number>
}

// Longer than any download may take; until then its process is taken to be alive.
const arrivalMs = 24 * 3_600_000
// A run goes only when it has ended, and those before it in its list have: longer than that its
// payloads stay.
const runsStayMs = 7 * 24 * 3_600_000
const uuid = new RegExp(uuidPattern)

export function createMediaStore(parts: {
  blobs: BlobStore
  db: Db
  clock: Clock
  signingKey: Uint8Array
  baseUrl: string
}): MediaStore {
  const { blobs, db, clock } = parts
  const addresses = signedAddresses(parts)
  const toOpen = (found: StoredMedia | null): OpenMedia | null =>
    found && { record: found.record, open: (range) => blobs.open(found.blob, range) }

  return {
    async save(accountId, source, options) {
      await using received = await blobs.receive(source, options)
      const type = acceptedType(received, options.expectedKind)
      const nowMs = clock.nowMs()
      const media = { table: 'media', id: uuidV7(nowMs), accountId, createdAtMs: nowMs } as const
      return await keepBlob(parts, received, media, () => measure(type, received))
    },
    publicMedia({ id, accountId, hash, createdAtMs, ...facts }) {
      return { url: addresses.urlOf(id), ...facts }
    },
    verify: addresses.verify,
    recognise: addresses.recognise,
    openForServing: async (id) => toOpen(await findMediaOfAnyone(db, id)),
    openOwn: async (accountId, id) =>
      uuid.test(id) ? toOpen(await findMedia(db, accountId, id)) : null,
    async copyOwn(accountId, id) {
      if (!uuid.test(id)) return null
      const nowMs = clock.nowMs()
      const copy = { table: 'media', id: uuidV7(nowMs), accountId, createdAtMs: nowMs } as const
      return copyMedia(db, { accountId, id }, copy)
    },
    async deleteExpired(beforeMs, limit) {
      const removed = [
        await removeMediaBefore(db, 'media', beforeMs, limit),
        await removeMediaBefore(db, 'payloads', beforeMs - runsStayMs, limit),
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

/** The row goes last: while it stands, another try will find the bytes. */
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
