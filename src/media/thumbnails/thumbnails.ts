// Makes pictures small: on demand, one at a time, accounts in turn, and never in this process. What
// was made stays in memory only, so nothing of it is left to delete, back up or find after a crash.
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createAccountCache } from '#core/account-cache.ts'
import { Failure } from '#core/errors.ts'
import { createFairQueue } from '#isolation/fair-queue.ts'
import { createIsolatedPool, NotStarted, type Reply } from '#isolation/isolated-pool.ts'
import { sharedScripts } from '#isolation/isolated-process.ts'
import type { OpenMedia } from '../media-store.ts'
import type { ThumbnailJob } from './thumbnail-process.mjs'

/** For displays of one and of two device pixels per pixel, at the size that the console shows. */
const thumbnailWidths = [208, 416] as const
export type ThumbnailWidth = (typeof thumbnailWidths)[number]

/** Null if the query names no width. */
export function readWidth(query: unknown): ThumbnailWidth | null {
  const asked = typeof query === 'object' && query && 'w' in query ? query.w : undefined
  if (asked === undefined) return null
  const width = thumbnailWidths.find((known) => String(known) === asked)
  if (width !== undefined) return width
  throw new Failure('INVALID_REQUEST', {
    message: `w, the width of a smaller picture, is ${thumbnailWidths.join(' or ')}.`,
    details: { parameter: 'w', accepted: thumbnailWidths },
  })
}

export type Thumbnails = {
  /**
   * The picture as WebP, at most `width` wide. Null if it cannot be made: it is broken, too large
   * or of a kind that is not decoded here. Rejects with SERVICE_UNAVAILABLE if too many wait.
   */
  make(picture: OpenMedia, width: ThumbnailWidth): Promise<Uint8Array | null>
  close(): void
}

type Made = {
  webp: Uint8Array | null
  /** Nothing was tried, so that the next request may have more luck. */
  isUntried?: true
}
type Job = {
  owner: string
  picture: OpenMedia
  width: ThumbnailWidth
  settle: PromiseWithResolvers<Made>
}

// Bounds of one picture. Larger ones are served as they are. 50 megapixels is the largest size that
// cameras and models of today make in one shot; processor time was 0.1 to 0.9 s for 2 MB.
const maxMegapixels = 50
const maxSourceBytes = 32 * 2 ** 20
const limitMs = 10_000
const stallMs = 60_000
// After this, the process and its 100 to 250 MB are given back.
const idleMs = 20_000
// A page of the gallery has 48 pictures; a browser asks for six at a time.
const maxWaitingOfOne = 64
const maxWaiting = 512
// About 2,000 thumbnails of 16 kB; a quarter of it for one account.
const maxCachedBytes = 32 * 2 ** 20
const entryBytes = 200

type ThumbnailOptions = {
  /** The decoders; tests have others, which break. */
  libraryPath?: string
}

export function createThumbnails({
  libraryPath = createRequire(import.meta.url).resolve('wasm-vips'),
}: ThumbnailOptions = {}): Thumbnails {
  const pool = createIsolatedPool(program(libraryPath), {
    processes: 1,
    patienceMs: Number.POSITIVE_INFINITY,
    ...{ stallMs, idleMs },
  })
  const cache = createAccountCache<Made>({ maxBytes: maxCachedBytes })
  const underWay = new Map<string, Promise<Made>>()
  const queue = createFairQueue<Job>()
  const waiting = new Map<string, number>()
  let running: string | undefined

  /** One at a time, so that only one source is in memory. */
  async function work() {
    if (running !== undefined) return
    for (;;) {
      const job = queue.next((owner) => (owner === running ? 1 : 0))
      if (!job) break
      running = job.owner
      await draw(pool, job).then(job.settle.resolve, job.settle.reject)
    }
    running = undefined
  }

  function enqueue(job: Job): Promise<Made> {
    const { owner } = job
    const own = waiting.get(owner) ?? 0
    if (own >= maxWaitingOfOne || underWay.size >= maxWaiting) return Promise.reject(tooMany())
    waiting.set(owner, own + 1)
    queue.append(job)
    void work()
    return job.settle.promise.finally(() => {
      const left = (waiting.get(owner) ?? 1) - 1
      if (left > 0) waiting.set(owner, left)
      else waiting.delete(owner)
    })
  }

  return {
    async make(picture, width) {
      const { accountId: owner, hash } = picture.record
      const key = `${hash} ${width}`
      const known = cache.get(owner, key)
      if (known) return known.webp
      const name = `${owner} ${key}`
      const begun =
        underWay.get(name) ??
        enqueue({ owner, picture, width, settle: Promise.withResolvers() }).then((made) => {
          const { webp, isUntried } = made
          if (!isUntried) cache.set(owner, key, made, entryBytes + (webp?.length ?? 0))
          return made
        })
      underWay.set(name, begun)
      try {
        return (await begun).webp
      } finally {
        if (underWay.get(name) === begun) underWay.delete(name)
      }
    },
    close: () => pool.close(),
  }
}

const tooMany = () =>
  new Failure('SERVICE_UNAVAILABLE', {
    message: 'Too many pictures are being made small. Try again, or read the whole picture.',
    retryAfterSeconds: 2,
  })

async function draw(pool: ReturnType<typeof createIsolatedPool>, job: Job): Promise<Made> {
  const { owner, picture, width } = job
  const { sizeBytes } = picture.record
  if (sizeBytes > maxSourceBytes) return { webp: null }
  const bytes = Buffer.concat(await (await picture.open()).toArray())
  const wanted: ThumbnailJob = { width, sizeBytes: bytes.length }
  // A process that neither answers nor works says the same about a picture as one that fails.
  const reply: Reply | NotStarted = await pool
    .run(owner, wanted, { bytes })
    .catch((error: unknown) => (error instanceof NotStarted ? error : { error: String(error) }))
  if (reply instanceof NotStarted) return { webp: null, isUntried: true }
  const webp = 'value' in reply && typeof reply.value === 'string' ? reply.value : null
  return { webp: webp === null ? null : Buffer.from(webp, 'base64') }
}

function program(libraryPath: string) {
  const scripts = ['./thumbnail-process.mjs', './process-binding.mjs'].map((name) =>
    fileURLToPath(new URL(name, import.meta.url)),
  )
  const [script = '', binding = ''] = scripts
  return {
    arguments: [script, libraryPath, String(limitMs), String(maxMegapixels)],
    readable: [
      ...scripts,
      ...sharedScripts,
      dirname(libraryPath),
      `${dirname(libraryPath)}/../package.json`,
    ],
    flags: ['--import', pathToFileURL(binding).href],
  }
}
