// Answers to requests that named an Idempotency-Key, for a day. Promises that such a request is
// carried out once, in whatever process it arrives and however often: the first claims the key with
// a row, and the others wait for it or get its answer. If the process of the first one dies, nobody
// knows whether it was billed; that is said, and nothing is repeated. What was refused before
// anything began binds no key.
import { delay, type TimedClock } from '#core/clock.ts'
import { within } from '#core/deadline.ts'
import { Failure } from '#core/errors.ts'
import { uuidV7 } from '#core/ids.ts'
import type { Db } from '#store/db.ts'
import type { SecretBox } from '#store/secret-box.ts'
import {
  deleteKeptAnswer,
  endKeptAnswer,
  findKeptAnswer,
  insertKeptAnswer,
  loseKeptAnswers,
  renewKeptAnswers,
  sizeOfKeptAnswers,
} from '#store/tables/kept-answers.ts'
import { createCountedBytes } from './counted-bytes.ts'

/** As it is sent: a stream is kept as the text of all its events. */
export type KeptAnswer = { status: number; headers: Record<string, string>; body: Buffer }

/** Of whoever is the first to name a key. One of the two must be called, and never rejects. */
export type ClaimedKey = {
  /** Null: the request was carried out, but its answer cannot be given again. */
  keep(answer: KeptAnswer | null): Promise<void>
  /** Nothing was begun. The next request with this key is the first. */
  release(): Promise<void>
}

export type KeyedRequest = { accountId: string; key: string; fingerprint: string }

export type KeptAnswers = {
  /** Throws a Failure if the key was used otherwise, or the first request has not ended. */
  claim(request: KeyedRequest): Promise<{ replay: KeptAnswer } | { claimed: ClaimedKey }>
  /** Answers those who wait for others, and resolves once what was claimed has ended, or in time. */
  close(graceMs: number): Promise<void>
}

type Deps = {
  db: Db
  box: SecretBox
  clock: TimedClock
  onError(error: unknown): void
  /** How long a process that says nothing is believed to carry out what it claimed. */
  aliveMs: number
}

const keptMs = 24 * 3_600_000
/** Many proxies give up on a connection that was silent for 30 seconds. */
const longestWaitMs = 25_000
/** Between two looks for an answer that another process gives. */
const lookEveryMs = 250
/** An answer with several pictures. */
const maxBytes = 32 * 1024 * 1024
/** Of one account. Beyond it, only the key is kept: nothing is paid twice. */
const maxAccountBytes = 1024 * 1024 * 1024

type Ended = KeptAnswer | 'lost' | 'released'

/** Of this process: it carries the request out, or follows another process that does. */
type Claimant = {
  id: string
  request: KeyedRequest
  ended: Promise<Ended>
  end(how: Ended): void
}

export async function openKeptAnswers(deps: Deps): Promise<KeptAnswers> {
  await loseKeptAnswers(deps.db)
  return createKeptAnswers(deps)
}

export function createKeptAnswers(deps: Deps): KeptAnswers {
  const { clock } = deps
  const claimants = createClaimants(deps)
  const rows = createRows(deps)
  const closing = Promise.withResolvers<'late'>()

  const claimedBy = (claimant: Claimant): ClaimedKey => ({
    async keep(answer) {
      await rows.end(claimant, answer)
      claimants.leave(claimant, answer ?? 'lost')
    },
    async release() {
      await rows.release(claimant)
      claimants.leave(claimant, 'released')
    },
  })

  /** The first in this process: it claims the key, or follows the process that has claimed it. */
  async function first(request: KeyedRequest): Promise<ClaimedKey | Claimant> {
    const claimant = claimants.begin(request)
    try {
      if (await rows.insert(claimant)) return claimedBy(claimant)
      claimants.leave(claimant, await follow(request))
      return claimant
    } catch (error) {
      claimants.leave(claimant, 'released')
      throw error
    }
  }

  async function follow(request: KeyedRequest): Promise<Ended> {
    const untilMs = clock.monotonicMs() + longestWaitMs
    for (;;) {
      const how = await rows.lookUp(request)
      if (how !== undefined) return how
      if (clock.monotonicMs() >= untilMs) throw new Failure('IDEMPOTENCY_IN_PROGRESS', soon)
      await Promise.race([delay(lookEveryMs, undefined, clock), closing.promise])
    }
  }

  const waitFor = ({ ended }: Claimant) =>
    within(longestWaitMs, Promise.race([ended, closing.promise]), () => 'late' as const, clock)

  return {
    async claim(request) {
      for (;;) {
        let other = claimants.find(request)
        if (!other) {
          const made = await first(request)
          if ('keep' in made) return { claimed: made }
          other = made
        }
        if (other.request.fingerprint !== request.fingerprint)
          throw new Failure('IDEMPOTENCY_KEY_REUSED')
        const how = await waitFor(other)
        if (how === 'late') throw new Failure('IDEMPOTENCY_IN_PROGRESS', soon)
        if (how === 'lost') throw answerLost()
        if (how !== 'released') return { replay: how }
      }
    },
    async close(graceMs) {
      closing.resolve('late')
      await within(graceMs, claimants.allEnded(), () => undefined, clock)
      claimants.close()
    },
  }
}

/** By account and key. As long as there are any, their rows say that this process lives. */
function createClaimants({ db, clock, onError, aliveMs }: Deps) {
  const underWay = new Map<string, Claimant>()
  let stopRenewing: (() => void) | undefined
  const renew = () => {
    const ids = [...underWay.values()].map(({ id }) => id)
    renewKeptAnswers(db, { ids, aliveMs }).catch(onError)
  }
  const close = () => {
    stopRenewing?.()
    stopRenewing = undefined
  }
  return {
    find: (request: KeyedRequest) => underWay.get(nameOf(request)),
    begin(request: KeyedRequest): Claimant {
      const { promise: ended, resolve: end } = Promise.withResolvers<Ended>()
      const claimant = { id: uuidV7(clock.nowMs()), request, ended, end }
      underWay.set(nameOf(request), claimant)
      stopRenewing ??= clock.every(aliveMs / 3, renew)
      return claimant
    },
    leave({ request, end }: Claimant, how: Ended) {
      underWay.delete(nameOf(request))
      end(how)
      if (underWay.size === 0) close()
    },
    allEnded: () => Promise.all([...underWay.values()].map(({ ended }) => ended)),
    close,
  }
}

function createRows({ db, box, clock, onError, aliveMs }: Deps) {
  const counted = createCountedBytes(clock, (accountId) => sizeOfKeptAnswers(db, accountId))
  const fitting = async (accountId: string, content: Buffer): Promise<Buffer | null> => {
    if (content.length > maxBytes) return null
    return (await counted.add(accountId, content.length)) > maxAccountBytes ? null : content
  }
  return {
    insert({ id, request }: Claimant): Promise<boolean> {
      const nowMs = clock.nowMs()
      return insertKeptAnswer(db, { ...request, id, nowMs, expiresAtMs: nowMs + keptMs, aliveMs })
    },
    async end({ id, request: { accountId } }: Claimant, answer: KeptAnswer | null) {
      try {
        const content = answer && (await fitting(accountId, encode(answer)))
        await endKeptAnswer(db, box, { accountId, id, content })
      } catch (error) {
        // The caller gets its answer all the same; a later one learns that it is not known.
        onError(error)
      }
    },
    release: ({ id, request: { accountId } }: Claimant) =>
      deleteKeptAnswer(db, { accountId, id }).catch(onError),
    /** What became of the one that another process has claimed; undefined while it is under way. */
    async lookUp(request: KeyedRequest): Promise<Ended | undefined> {
      const found = await findKeptAnswer(db, box, { ...request, nowMs: clock.nowMs() })
      if (!found) return 'released'
      await db.synced()
      if (found.fingerprint !== request.fingerprint) throw new Failure('IDEMPOTENCY_KEY_REUSED')
      if (found.state === 'UNDER_WAY') return undefined
      return found.content ? decode(found.content) : 'lost'
    },
  }
}

const soon = { retryAfterSeconds: 1 }

const nameOf = ({ accountId, key }: KeyedRequest) => `${accountId} ${key}`

const answerLost = () =>
  new Failure('OUTCOME_UNKNOWN', {
    message:
      'A request with this Idempotency-Key was begun, and its answer is not available: the server was interrupted, or the answer was too large to be kept. It may have been billed, so it was not repeated. Look at your calls and tasks, and use a new key to pay for another one.',
  })

/** Status and headers as a line of JSON, then the body as it is. */
const encode = ({ body, ...head }: KeptAnswer): Buffer =>
  Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body])

function decode(content: Buffer): KeptAnswer {
  const end = content.indexOf(0x0a)
  const head = JSON.parse(content.toString('utf8', 0, end)) as Omit<KeptAnswer, 'body'>
  return { ...head, body: content.subarray(end + 1) }
}
