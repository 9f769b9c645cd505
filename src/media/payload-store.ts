// Promises: a text that is too long for a row is kept, whole, before its reference is given out,
// for as long as any row may hold that; only its own account reads it. Never changes a short text.
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Clock } from '#core/clock.ts'
import { uuidV7 } from '#core/ids.ts'
import type { Db } from '#store/db.ts'
import { findPayload, isLong, isReference, referenceTo } from '#store/tables/payloads.ts'
import { BlobMissing, type BlobStore } from './blob-store.ts'
import { keepBlob } from './keep-blob.ts'

export type PayloadStore = {
  /** What a row may hold in place of the text: itself, or a reference. Never rejects. */
  put(accountId: string, json: string): Promise<string>
  /** The text again. Rejects with PayloadGone. */
  get(accountId: string, held: string): Promise<string>
}

/** It has expired; what it belonged to had, too. */
export class PayloadGone extends Error {
  override name = 'PayloadGone'
}

type Parts = {
  blobs: BlobStore
  db: Db
  clock: Clock
  onError(error: unknown): void
}

export function createPayloadStore(parts: Parts): PayloadStore {
  const { blobs, db } = parts
  return {
    put: async (accountId, json) =>
      isLong(json)
        ? keep(parts, accountId, json).catch((error) => {
            // A row can hold it where the blob store cannot: nobody's work is lost over it.
            parts.onError(error)
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
  }
}

async function keep(parts: Parts, accountId: string, json: string): Promise<string> {
  const bytes = Buffer.from(json)
  const source = Readable.from([bytes])
  await using received = await parts.blobs.receive(source, { maxBytes: bytes.length })
  const nowMs = parts.clock.nowMs()
  const row = { table: 'payloads', id: uuidV7(nowMs), accountId, createdAtMs: nowMs } as const
  const facts = { mimeType: 'application/json', sizeBytes: bytes.length }
  await keepBlob(parts, received, row, async () => facts)
  return referenceTo(row.id)
}
