// Stores blobs by name. A kept blob can be read, whole or in ranges, until it is deleted; an
// interrupted upload is never visible. Names are never reused, so a late or repeated delete
// removes only the blob it was meant for. Knows nothing of accounts, media types or URLs.
import type { Readable } from 'node:stream'

/** `start` and `end` are both inclusive. */
export type ByteRange = { start: number; end: number }

export type ReceiveOptions = {
  maxBytes: number
  signal?: AbortSignal
  /** The name that the same content has in another store; if absent, a new one is made. */
  name?: string
}

/** A complete upload in a temporary file, which is removed on dispose. */
export type Received = AsyncDisposable & {
  /** The name of the blob once it is kept. */
  readonly name: string
  /** SHA-256 of the content, in hex. */
  readonly hash: string
  readonly sizeBytes: number
  /** The first bytes: enough to detect the type and, for images, the dimensions. */
  readonly head: Uint8Array
  readonly path: string
  keep(): Promise<void>
}

export type BlobStore = {
  /** Rejects with BlobDamaged if the content does not match the given name. */
  receive(source: AsyncIterable<Uint8Array>, options: ReceiveOptions): Promise<Received>
  /**
   * Rejects with BlobMissing or BlobsUnavailable. The stream fails with BlobDamaged before its end
   * if the content is not what was kept; with `sizeBytes`, before any byte beyond it. The caller must read it to its end or destroy it.
   */
  open(name: string, range?: ByteRange, sizeBytes?: number): Promise<Readable>
  /** Deleting a name that does not exist is not an error. */
  delete(name: string): Promise<void>
  /** Removes temporary files that a killed process left behind. */
  sweep(): Promise<void>
  /** Rejects if the store cannot be used now. */
  check(): Promise<void>
}

export class MediaTooLarge extends Error {
  readonly maxBytes: number
  constructor(maxBytes: number) {
    super(`the media is larger than ${maxBytes} bytes`)
    this.name = 'MediaTooLarge'
    this.maxBytes = maxBytes
  }
}

export class BlobMissing extends Error {
  constructor(name: string, cause: unknown) {
    super(`no blob ${name}`, { cause })
    this.name = 'BlobMissing'
  }
}

export class BlobDamaged extends Error {
  constructor(name: string, reason = 'its content has the wrong checksum') {
    super(`the blob ${name} is damaged: ${reason}`)
    this.name = 'BlobDamaged'
  }
}

/** The SHA-256 of the content and a random number: no name leads out of the folder of a store. */
export const blobNamePattern = '^[0-9a-f]{64}-[0-9a-f]{16}$'

const blobName = new RegExp(blobNamePattern)

export const isBlobName = (name: string): boolean => blobName.test(name)

/** The store itself does not answer, or refuses. */
export class BlobsUnavailable extends Error {
  constructor(cause: unknown) {
    super('the media store is unavailable', { cause })
    this.name = 'BlobsUnavailable'
  }
}

/** A name begins with the SHA-256 of the content, in hex. */
export const isContentOf = (name: string, hash: string): boolean => name.startsWith(`${hash}-`)
