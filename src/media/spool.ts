import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '#core/clock.ts'
import { type BlobStore, MediaTooLarge, type Received, type ReceiveOptions } from './blob-store.ts'

// A JPEG may carry profiles and previews of this size before its dimensions.
const headBytes = 256 * 1024
// Peers may share the folder: only what nobody has written to for long is a leftover.
const leftoverAfterMs = 3_600_000

export type Keep = (name: string, path: string, signal?: AbortSignal) => Promise<void>

/** Where blobs land first, so that their hash is known before they get a name. */
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
      const name = `${measured.hash}-${randomBytes(8).toString('hex')}`
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
      // A copy: whoever made the chunk may use its memory again.
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

/** Ends at once on abort, also while the source is silent. */
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
    // Not awaited: a silent source may never answer.
    Promise.resolve(chunks.return?.()).catch(() => {})
  }
}
