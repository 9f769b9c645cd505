// Limits the memory for the pictures of all calls together. Each picture and each call has a limit,
// but hundreds of calls may hold their pictures for as long as their providers take. A call that
// finds no room waits in line until others are done. The calls of one account take at most half of
// it, so that nobody waits for a single account alone.
import { getHeapStatistics } from 'node:v8'
import { Interruption, TimeUp } from '#core/interruptions.ts'
import type { StopSignal } from '#core/stop.ts'
import { type MediaInput, ProviderError } from '#providers/provider.ts'

/** The largest picture that is accepted. */
export const maxPictureBytes = 10 * 1024 * 1024
/** For all pictures of one call together, as they are sent in one request. */
export const maxBytesPerCall = 50 * 1024 * 1024
/** Few, because pictures are fetched from other people's servers. */
const loadedAtOnce = 4

export type HeldPictures = {
  /** In the order of the sources. */
  pictures: MediaInput[]
  /** To be called when the call has ended. */
  release(): void
}

export type PictureMemory = {
  /** Loads the pictures of one call as soon as there is room. Rejects with PicturesTooLarge. */
  hold<Source>(
    accountId: string,
    sources: readonly Source[],
    load: (source: Source) => Promise<MediaInput>,
    signal: StopSignal,
  ): Promise<HeldPictures>
}

export class PicturesTooLarge extends Error {
  override name = 'PicturesTooLarge'
}

/** An eighth of V8's heap limit, because a request with pictures holds several copies of them. */
export function createPictureMemory(
  limitBytes: number = getHeapStatistics().heap_size_limit / 8,
): PictureMemory {
  const reserve = createRoom(limitBytes)
  return {
    async hold(accountId, sources, load, signal) {
      const most = Math.min(sources.length * maxPictureBytes, maxBytesPerCall)
      const room = await reserve(accountId, most, signal)
      try {
        const pictures = await loadAll(sources, load)
        room.shrinkTo(bytesOf(pictures))
        return { pictures, release: () => room.shrinkTo(0) }
      } catch (error) {
        room.shrinkTo(0)
        throw error
      }
    },
  }
}

const bytesOf = (pictures: readonly MediaInput[]) =>
  pictures.reduce((sum, { bytes }) => sum + bytes.byteLength, 0)

async function loadAll<Source>(
  sources: readonly Source[],
  load: (source: Source) => Promise<MediaInput>,
): Promise<MediaInput[]> {
  const pictures: MediaInput[] = []
  const waiting = sources.entries()
  let totalBytes = 0
  let failure: { error: unknown } | undefined
  const worker = async () => {
    for (const [index, source] of waiting) {
      if (failure) return
      const picture = await load(source)
      pictures[index] = picture
      totalBytes += picture.bytes.byteLength
      if (totalBytes > maxBytesPerCall) throw new PicturesTooLarge()
    }
  }
  // Wait for all of them: only then may the room be given to others.
  const workers = Array.from({ length: loadedAtOnce }, () =>
    worker().catch((error: unknown) => {
      failure ??= { error }
    }),
  )
  await Promise.all(workers)
  if (failure) throw failure.error
  return pictures
}

/** Nothing was sent, so a caller that still has time may try again. */
function gaveUpWaiting(reason: unknown): unknown {
  if (reason instanceof Interruption) return reason
  const isLate = reason instanceof TimeUp
  const message = 'there was no room in memory for the pictures'
  return new ProviderError(isLate ? 'busy' : 'canceled', { outcome: 'not_sent', message })
}

type Room = { shrinkTo(bytes: number): void }
type Waiting = { accountId: string; bytes: number; enter(room: Room): void }

/**
 * Grants room in the order of requests, except that those of an account with its share pass the
 * turn on. A request always fits if nothing else is held.
 */
function createRoom(limitBytes: number) {
  const waiting: Waiting[] = []
  const held = new Map<string, number>()
  let total = 0

  const hasItsShare = ({ accountId, bytes }: Waiting): boolean => {
    const own = held.get(accountId) ?? 0
    return own > 0 && own + bytes > limitBytes / 2
  }

  function admit() {
    for (let at = 0, next = waiting[at]; next; next = waiting[at]) {
      if (hasItsShare(next)) {
        at++
        continue
      }
      if (total > 0 && total + next.bytes > limitBytes) return
      waiting.splice(at, 1)
      next.enter(roomOf(next))
    }
  }

  function count(accountId: string, more: number) {
    total += more
    const own = (held.get(accountId) ?? 0) + more
    if (own > 0) held.set(accountId, own)
    else held.delete(accountId)
  }

  function roomOf({ accountId, bytes }: Waiting): Room {
    let taken = bytes
    count(accountId, taken)
    return {
      shrinkTo(less) {
        if (less >= taken) return
        count(accountId, less - taken)
        taken = less
        admit()
      },
    }
  }

  return (accountId: string, bytes: number, signal: StopSignal): Promise<Room> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(gaveUpWaiting(signal.reason))
      const leave = () => {
        waiting.splice(waiting.indexOf(one), 1)
        reject(gaveUpWaiting(signal.reason))
        admit()
      }
      const one: Waiting = {
        accountId,
        bytes,
        enter(room) {
          signal.removeEventListener('abort', leave)
          resolve(room)
        },
      }
      signal.addEventListener('abort', leave)
      waiting.push(one)
      admit()
    })
}
