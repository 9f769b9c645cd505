// Stores texts that are too long for a table row as blobs and hands out references to them. The
// text is stored before its reference exists and stays for as long as any row may hold the
// reference. Only its own account can read it. Short texts are returned unchanged.
import { text } from 'node:stream/consumers'
import type { Clock } from '#core/clock.ts'
import { uuidV7 } from '#core/ids.ts'
import { inlineValue, isLong, isReference, PayloadGone, referenceTo } from '#core/payload-text.ts'
import { turn } from '#core/turns.ts'
import type { Db } from '#store/db.ts'
import { findPayload } from '#store/tables/payloads.ts'
import { BlobMissing, type BlobStore } from './blob-store.ts'
import { keepBlob } from './keep-blob.ts'

export type PayloadStore = {
  /**
   * Returns what a row should hold: the text itself or, where it is longer than `maxBytesInRow`, a
   * reference to it. Never rejects.
   */
  put(accountId: string, json: string, maxBytesInRow?: number): Promise<string>
  /** Returns the text for what a row holds. Rejects with PayloadGone. */
  get(accountId: string, held: string): Promise<string>
  /** Returns the decoded JSON for what a row holds. Rejects with PayloadGone. */
  read(accountId: string, held: string): Promise<unknown>
}

type PayloadDeps = {
  blobs: BlobStore
  db: Db
  clock: Clock
  onError(error: unknown): void
}

export function createPayloadStore(deps: PayloadDeps): PayloadStore {
  const { blobs, db } = deps
  const store: PayloadStore = {
    put: async (accountId, json, maxBytes) =>
      isLong(json, maxBytes)
        ? keep(deps, accountId, json).catch((error) => {
            // If the blob store fails, the row holds the long text itself, so no work is lost.
            deps.onError(error)
            return json
          })
        : json,
    async get(accountId, held) {
      if (!isReference(held)) return held
      const blob = await findPayload(db, accountId, held)
      if (blob === undefined) throw new PayloadGone()
      try {
        return await text(await blobs.open(blob))
      } catch (error) {
        throw error instanceof BlobMissing ? new PayloadGone(undefined, { cause: error }) : error
      }
    },
    read: async (accountId, held) => inlineValue(await store.get(accountId, held)),
  }
  return store
}

async function keep(deps: PayloadDeps, accountId: string, json: string): Promise<string> {
  await turn()
  const bytes = Buffer.from(json)
  await using received = await deps.blobs.receive(inPieces(bytes), { maxBytes: bytes.length })
  const nowMs = deps.clock.nowMs()
  const row = { table: 'payloads', id: uuidV7(nowMs), accountId, createdAtMs: nowMs } as const
  const facts = { mimeType: 'application/json', sizeBytes: bytes.length }
  await keepBlob(deps, received, row, async () => facts)
  return referenceTo(row.id)
}

const pieceBytes = 1_048_576

/** Each piece is hashed when it is taken, which is work of a few milliseconds. */
async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    await turn()
    yield bytes.subarray(from, from + pieceBytes)
  }
}
