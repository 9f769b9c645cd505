// Tells whether this process can store what it is sent, by storing something: a database that
// answers reads may still be full, locked or read-only. Health checks share one trial per store,
// so that many of them cost no more than one.
import { within } from '#core/deadline.ts'
import type { BlobStore } from '#media/blob-store.ts'
import type { Db } from '#store/db.ts'
import type { ChatLog } from '#store/journals/chat-log.ts'
import { tryWrite } from '#store/tables/server-facts.ts'

/** How long the result of a trial holds, and how long a health check waits for one. */
type Pace = { freshMs: number; waitMs: number }

// Health checks commonly ask every 2 to 10 seconds and give up after 2 to 5. A backup may hold the
// lock of an SQLite file for a second or two, which is no reason to leave the rotation.
const pace: Pace = { freshMs: 1_000, waitMs: 3_000 }
// Requests to S3 cost money. Media that are away leave the process ready, so nobody waits long.
const mediaPace: Pace = { freshMs: 10_000, waitMs: 1_000 }

/** Resolves to false if `answer` rejects or takes longer. */
export const answersWithin = (ms: number, answer: Promise<unknown>): Promise<boolean> =>
  within(
    ms,
    answer.then(
      () => true,
      () => false,
    ),
    () => false,
  )

export type StoreName = 'database' | 'chats' | 'media'

export type Readiness = {
  /** Whether each store takes writes now; answered in time even if one of them hangs. */
  check(): Promise<Record<StoreName, boolean>>
}

export function openReadiness(stores: {
  db: Db
  chats: Pick<ChatLog, 'tryWrite'>
  media: Pick<BlobStore, 'check'>
  nowMs(): number
}): Readiness {
  const { db, chats, media, nowMs } = stores
  const trials = {
    database: shareTrial(() => tryWrite(db, nowMs()), pace),
    chats: shareTrial(async () => chats.tryWrite?.(), pace),
    media: shareTrial(() => media.check(), mediaPace),
  }
  return {
    async check() {
      const [database, chats, media] = await Promise.all([
        trials.database(),
        trials.chats(),
        trials.media(),
      ])
      return { database, chats, media }
    },
  }
}

/** Without media the API still serves everything else, so it stays ready and says so instead. */
export const isReady = ({ database, chats }: Record<StoreName, boolean>): boolean =>
  database && chats

/**
 * At most one trial is under way, and its result holds for `freshMs`. A trial that takes longer
 * than a health check waits counts as failed, also for those who ask later, until it ends.
 */
function shareTrial(attempt: () => Promise<unknown>, { freshMs, waitMs }: Pace) {
  let trial: { startedAtMs: number; endedAtMs: number | null; outcome: Promise<boolean> } | null =
    null

  function start() {
    const started = {
      startedAtMs: performance.now(),
      endedAtMs: null as number | null,
      outcome: attempt().then(
        () => true,
        () => false,
      ),
    }
    void started.outcome.then(() => {
      started.endedAtMs = performance.now()
    })
    return started
  }

  return (): Promise<boolean> => {
    const now = performance.now()
    if (!trial || (trial.endedAtMs !== null && now - trial.endedAtMs >= freshMs)) trial = start()
    if (trial.endedAtMs !== null) return trial.outcome
    const leftMs = Math.max(0, trial.startedAtMs + waitMs - now)
    return within(leftMs, trial.outcome, () => false)
  }
}
