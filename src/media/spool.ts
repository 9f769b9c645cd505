import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '#core/clock.ts'
import {
  BlobDamaged,
  type BlobStore,
  isBlobName,
  isContentOf,
  MediaTooLarge,
  type Received,
  type ReceiveOptions,
} from './blob-store.ts'

// A JPEG may have profiles and previews of this size before its dimensions.
const headBytes = 256 * 1024
// Other processes may share the folder, so only a file not written to for this long is removed.
const leftoverAfterMs = 3_600_000

export type Keep = (name: string, path: string, signal?: AbortSignal) => Promise<void>

/** Uploads are written here first, because a blob's name contains the hash of its content. */
export async function openSpool(options: {
  folder: string
  clock: Clock
  keep: Keep
}): Promise<Pick<BlobStore, 'receive' | 'sweep'>> {
  const { folder, clock, keep } = options
  await mkdir(folder, { recursive: true, mode: 0o700 })

  async function sweep() {
    for (const entry of await readdir(folder)) {
      const path = join(folder, entry)
      const modifiedMs = (await stat(path).catch(() => null))?.mtimeMs ?? Number.POSITIVE_INFINITY
      if (modifiedMs < clock.nowMs() - leftoverAfterMs) await rm(path, { force: true })
    }
  }

  async function receive(
    source: AsyncIterable<Uint8Array>,
    options: ReceiveOptions,
  ): Promise<Received> {
    const path = join(folder, randomBytes(16).toString('hex'))
    const remove = () => rm(path, { force: true })
    try {
      const measured = await write(path, source, options)
      const name = options.name ?? `${measured.hash}-${randomBytes(8).toString('hex')}`
      if (!isBlobName(name) || !isContentOf(name, measured.hash)) throw new BlobDamaged(name)
      return {
        ...measured,
        name,
        path,
        async keep() {
          options.signal?.throwIfAborted()
          await keep(name, path, options.signal)
        },
        [Symbol.asyncDispose]: remove,
      }
    } catch (error) {
      await remove()
      throw error
    }
  }

  await sweep()
  return { receive, sweep }
}

async function write(
  path: string,
  source: AsyncIterable<Uint8Array>,
  { maxBytes, signal }: ReceiveOptions,
) {
  const hash = createHash('sha256')
  const head: Uint8Array[] = []
  let sizeBytes = 0
  async function* measured() {
    for await (const chunk of untilAborted(source, signal)) {
      if (sizeBytes + chunk.length > maxBytes) throw new MediaTooLarge(maxBytes)
      hash.update(chunk)
      // Copied, because the source may reuse the memory of the chunk.
      if (sizeBytes < headBytes) head.push(new Uint8Array(chunk.subarray(0, headBytes - sizeBytes)))
      sizeBytes += chunk.length
      yield chunk
    }
  }
  await using handle = await open(path, 'wx', 0o600)
  await handle.writeFile(measured())
  await handle.sync()
  return { hash: hash.digest('hex'), sizeBytes, head: Buffer.concat(head) }
}

/** Ends immediately on abort, even if the source never produces another chunk. */
async function* untilAborted(source: AsyncIterable<Uint8Array>, signal?: AbortSignal) {
  const chunks = source[Symbol.asyncIterator]()
  const aborted = Promise.withResolvers<never>()
  aborted.promise.catch(() => {})
  const abort = () => aborted.reject(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  try {
    for (;;) {
      const next = await Promise.race([aborted.promise, chunks.next()])
      if (next.done) return
      yield next.value
    }
  } finally {
    signal?.removeEventListener('abort', abort)
    // Not awaited, because a stalled source may never settle it.
    Promise.resolve(chunks.return?.()).catch(() => {})
  }
}
