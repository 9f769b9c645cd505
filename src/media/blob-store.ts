// Promises: what was kept opens whole or in part until it is deleted, and what was interrupted
// is never seen. A name is never given twice, so a late or repeated delete hits only what it was
// meant for. Never knows accounts, media types or addresses.
import type { Readable } from 'node:stream'

/** Both ends included. */
export type ByteRange = { start: number; end: number }

export type ReceiveOptions = { maxBytes: number; signal?: AbortSignal }

/** Bytes that arrived whole and lie in a temporary file; disposing removes that file. */
export type Received = AsyncDisposable & {
  /** What the blob is called once it is kept. */
  readonly name: string
  /** SHA-256 of the content, in hex. */
  readonly hash: string
  readonly sizeBytes: number
  /** The first bytes: enough to tell the type, and for pictures the size. */
  readonly head: Uint8Array
  readonly path: string
  keep(): Promise<void>
}

export type BlobStore = {
  receive(source: AsyncIterable<Uint8Array>, options: ReceiveOptions): Promise<Received>
  /** Rejects with BlobMissing. Whoever opens a stream reads it to its end or destroys it. */
  open(name: string, range?: ByteRange): Promise<Readable>
  /** A name that is not there is no failure. */
  delete(name: string): Promise<void>
  /** Removes temporary files that a killed process left behind. */
  sweep(): Promise<void>
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
