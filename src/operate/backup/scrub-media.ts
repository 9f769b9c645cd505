// Examines the media of the installation that this environment configures, whether or not its
// server runs.

import type { Config } from '#config'
import type { Clock } from '#core/clock.ts'
import { openBlobs } from '#media/open-blobs.ts'
import { isLiveBlob, liveBlobs } from '#store/tables/media.ts'
import { openSnapshot } from './back-up.ts'
import { eachBlob, isLost } from './each-blob.ts'

// A person waits for the result.
const answerWithinMs = 6_000

const open = ({ dataDir, MEDIA_URL }: Config, clock: Clock) =>
  openBlobs({ dataDir, mediaUrl: MEDIA_URL, clock, answerWithinMs })

/** Rejects if the media store cannot be used now. */
export const checkMediaStore = async (config: Config, clock: Clock): Promise<void> =>
  (await open(config, clock)).check()

/** Reads every blob that a record refers to. `lost` tells of those missing or damaged. */
export async function scrubMedia(
  config: Config,
  clock: Clock,
): Promise<{ count: number; lost: string[] }> {
  const blobs = await open(config, clock)
  const names = await withSnapshot(config, liveBlobs)
  const lost: string[] = []
  await eachBlob(
    names,
    () => {},
    async (name) => {
      try {
        for await (const _ of await blobs.open(name));
      } catch (error) {
        if (!isLost(error)) throw error
        // It may have expired since the names were read.
        if (await withSnapshot(config, (now) => isLiveBlob(now, name))) lost.push(error.message)
      }
    },
  )
  return { count: names.length, lost }
}

async function withSnapshot<T>(
  config: Config,
  read: (snapshot: Awaited<ReturnType<typeof openSnapshot>>) => Promise<T>,
): Promise<T> {
  await using snapshot = await openSnapshot(config)
  return await read(snapshot)
}
