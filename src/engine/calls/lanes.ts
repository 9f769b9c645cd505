// Lets calls to a provider key start within its limits: fair by account, people before the batch. A
// key without limits costs one look-up. What is left of the limits is shared by all processes
// (core/lane.ts); in which order the calls of this process go is decided here.
import type { TimedClock } from '#core/clock.ts'
import { type Coalesced, coalesce } from '#core/coalesce.ts'
import { Interruption, Stopping, TimeUp } from '#core/interruptions.ts'
import { type LaneGrant, type LaneLimits, take } from '#core/lane.ts'
import type { StopSignal } from '#core/stop.ts'
import { ProviderError } from '#providers/provider.ts'
import type { Lanes as LaneStore } from '#store/engine-store.ts'
import { createFairQueue, type FairQueue } from './fair-queue.ts'

/** `credentialId` null: the server's own key. */
type LaneOf = { provider: string; credentialId?: string | null }

type LaneCall = {
  accountId: string
  /** Nobody waits for its answer. */
  isBatch: boolean
  /** The most it may use. */
  tokens: number
  /** Ends the wait. */
  until: StopSignal
}

/** `left` is called once the call has ended. */
export type LanePass = { left(usedTokens: number | null): void }

export type Lanes = {
  isLimited(lane: LaneOf): boolean
  /** Undefined if the key has no limits. */
  enter(lane: LaneOf, call: LaneCall): Promise<LanePass> | undefined
  /** How many calls of this process wait. */
  waiting(): { people: number; batch: number }
  /** Ends every wait: what waits has not been started. */
  stopWaiting(): void
  close(): Promise<void>
}

type Deps = {
  store: LaneStore
  clock: TimedClock
  limitsOf(provider: string): LaneLimits | undefined
  /** Of this process, among those that share the lanes. */
  user: string
  onError(error: unknown): void
}

type LaneEntry = LaneCall & { admit(pass: LanePass): void; refuse(error: unknown): void }

/** More than any lane lets go at once. */
const mostAsked = 200
/** A process that holds calls says so, or its share would be given to others. */
const renewEveryMs = 10_000
const afterFailureMs = 1_000

export function createLanes(deps: Deps): Lanes {
  const { clock, limitsOf } = deps
  const lanes = new Map<string, Lane>()
  let stopRenewing: (() => void) | undefined

  function laneOf({ provider, credentialId = null }: LaneOf, limits: LaneLimits): Lane {
    const key = JSON.stringify([provider, credentialId])
    const lane = lanes.get(key) ?? newLane(deps, key, limits)
    lane.limits = limits
    lanes.set(key, lane)
    stopRenewing ??= clock.every(renewEveryMs, renew)
    return lane
  }

  function renew() {
    for (const [key, lane] of lanes) {
      if (lane.inFlight > 0 || isWaiting(lane) || lane.ended.calls > 0) void lane.rounds.run()
      else lanes.delete(key)
    }
  }

  function stopWaiting() {
    for (const { people, batch } of lanes.values()) {
      for (const queue of [people, batch])
        for (let one = queue.takeNext(); one; one = queue.takeNext()) one.refuse(leaving(one))
    }
  }

  const count = (which: 'people' | 'batch') =>
    [...lanes.values()].reduce((sum, lane) => sum + lane[which].size(), 0)

  return {
    isLimited: ({ provider }) => limitsOf(provider) !== undefined,
    enter(of, call) {
      const limits = limitsOf(of.provider)
      if (!limits) return undefined
      const lane = laneOf(of, limits)
      const entered = enqueue(call.isBatch ? lane.batch : lane.people, call)
      void lane.rounds.run()
      return entered
    },
    waiting: () => ({ people: count('people'), batch: count('batch') }),
    stopWaiting,
    async close() {
      stopWaiting()
      stopRenewing?.()
      for (const lane of lanes.values()) {
        lane.isClosed = true
        lane.cancelNext?.()
        await lane.rounds.stop()
      }
    },
  }
}

function newLane(deps: Deps, key: string, limits: LaneLimits): Lane {
  const rounds = coalesce(() => runRound(deps, lane), { timers: deps.clock })
  const lane: Lane = {
    ...{
      key,
      limits,
      inFlight: 0,
      ended: { calls: 0, tokens: 0 },
      cancelNext: undefined,
      isClosed: false,
    },
    people: createFairQueue(),
    batch: createFairQueue(),
    rounds,
  }
  return lane
}

/** One timer for each lane, or every round would add another one. */
function runIn({ clock }: Deps, lane: Lane, ms: number) {
  lane.cancelNext?.()
  if (lane.isClosed) return
  lane.cancelNext = clock.after(ms, () => void lane.rounds.run(), { keepsAlive: false })
}

/** Never rejects: a database that is away lets the calls wait. */
async function runRound(deps: Deps, lane: Lane): Promise<void> {
  if (lane.isClosed) return
  const people = lane.people.inOrder(mostAsked)
  const batch = lane.batch.inOrder(mostAsked)
  const { ended, limits } = lane
  lane.ended = { calls: 0, tokens: 0 }
  const tokensOf = (entries: LaneEntry[]) => entries.map(({ tokens }) => tokens)
  const ask = { user: deps.user, limits, people: tokensOf(people), batch: tokensOf(batch), ended }
  let grant: LaneGrant
  try {
    grant = await deps.store.change(lane.key, (state, nowMs) => take(state, ask, nowMs))
  } catch (error) {
    deps.onError(error)
    lane.ended.calls += ended.calls
    lane.ended.tokens += ended.tokens
    return runIn(deps, lane, afterFailureMs)
  }
  // Somebody may have left meanwhile: what was granted to them is for the next in line.
  for (let i = 0; i < grant.people; i++) admitNext(lane, lane.people)
  for (let i = 0; i < grant.batch; i++) admitNext(lane, lane.batch)
  if (grant.againInMs !== null && isWaiting(lane)) runIn(deps, lane, grant.againInMs)
}

function admitNext(lane: Lane, queue: FairQueue<LaneEntry>) {
  const entry = queue.takeNext()
  if (!entry) {
    lane.ended.calls += 1
    return
  }
  lane.inFlight += 1
  let isOver = false
  entry.admit({
    left(usedTokens) {
      if (isOver) return
      isOver = true
      lane.inFlight -= 1
      lane.ended.calls += 1
      lane.ended.tokens += usedTokens === null ? 0 : Math.max(0, entry.tokens - usedTokens)
      if (isWaiting(lane) || lane.limits.concurrency !== undefined) void lane.rounds.run()
    },
  })
}

type Lane = {
  key: string
  limits: LaneLimits
  inFlight: number
  ended: { calls: number; tokens: number }
  people: FairQueue<LaneEntry>
  batch: FairQueue<LaneEntry>
  rounds: Coalesced
  cancelNext: (() => void) | undefined
  /** Calls in flight may end after the database is closed. */
  isClosed: boolean
}

const isWaiting = ({ people, batch }: Lane) => people.size() + batch.size() > 0

function enqueue(queue: FairQueue<LaneEntry>, call: LaneCall): Promise<LanePass> {
  const { promise, resolve: admit, reject: refuse } = Promise.withResolvers<LanePass>()
  const entry: LaneEntry = { ...call, admit, refuse }
  const leave = () => {
    if (queue.remove(entry)) refuse(leaving(entry))
  }
  queue.add(entry)
  if (call.until.aborted) leave()
  else call.until.addEventListener('abort', leave)
  return promise.finally(() => call.until.removeEventListener('abort', leave))
}

/** A run goes on later, somewhere else; a caller is told to try again. */
function leaving({ isBatch, until: { reason } }: LaneEntry): unknown {
  if (!isBatch || reason instanceof TimeUp) return laneFull()
  return reason instanceof Interruption ? reason : new Stopping()
}

const laneFull = () =>
  new ProviderError('busy', {
    outcome: 'not_sent',
    message: 'The limits of the provider key are used up. Nothing was sent.',
    retryAfterMs: 5_000,
  })
