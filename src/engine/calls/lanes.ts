// Lets calls to a provider key start within its limits: fair by account, people before the batch. A
// key without limits costs one look-up. What is left of the limits is shared by all processes
// (core/lane.ts); in which order the calls of this process go is decided here.
import type { TimedClock } from '#core/clock.ts'
import { type Coalesced, coalesce } from '#core/coalesce.ts'
import { type LaneEnds, type LaneLimits, type LaneUse, noEnds, take } from '#core/lane.ts'
import { CommitUnknown, type Lanes as LaneStore } from '#store/engine-store.ts'
import { createFairQueue, type FairQueue } from './fair-queue.ts'
import { enqueue, type LaneCall, type LaneEntry, type LanePass, leaving } from './lane-entry.ts'
import { createLaneForecast, type LaneForecast } from './lane-forecast.ts'
import { usesOf } from './lane-uses.ts'

/** `credentialId` null: a key of the server, which `deployment` names if it has several. */
type LaneOf = {
  provider: string
  providerModel?: string
  credentialId?: string | null | undefined
  deployment?: string | undefined
  /** What the vendor itself says that this model may do with the key; counts if nothing is set. */
  learnt?: LaneLimits | undefined
}

/** Where a call stands in this process: 1 goes next. `ms`: how long that may take. */
export type LanePosition = { position: number; ms: number }

export type Lanes = {
  isLimited(lane: LaneOf): boolean
  /** Undefined if the key has no limits. */
  enter(lane: LaneOf, call: LaneCall): Promise<LanePass> | undefined
  /** Of a call that waits, or would be the next to. */
  positionOf(lane: LaneOf, call: PlacedCall): LanePosition
  /** A call that was in the lane comes back after so long. */
  leave(lane: LaneOf, call: PlacedCall, ms: number): void
  /** How many calls of this process wait. */
  waiting(): { people: number; batch: number }
  uses(): LaneUse[]
  /** How many of them wait for this key. */
  waitingFor(lane: LaneOf): number
  /** Ends every wait: what waits has not been started. */
  stopWaiting(): void
  close(): Promise<void>
}

type Deps = {
  store: LaneStore
  clock: TimedClock
  /** What is set for the key. */
  limitsOf(provider: string, deployment?: string): LaneLimits | undefined
  /** Of this process, among those that share the lanes. */
  user: string
  onError(error: unknown): void
}

type PlacedCall = Pick<LaneEntry, 'accountId' | 'isBatch' | 'sinceMs'>

/** More than any lane lets go at once. */
const mostAsked = 200
/** A process that holds calls says so, or its share would be given to others. */
const renewEveryMs = 10_000
const afterFailureMs = 1_000

export function createLanes(deps: Deps): Lanes {
  const { clock } = deps
  const lanes = new Map<string, Lane>()
  let stopRenewing: (() => void) | undefined
  const limitsOf = ({ provider, deployment, learnt }: LaneOf) =>
    deps.limitsOf(provider, deployment) ?? learnt

  function keyOf({ provider, credentialId = null, deployment, providerModel }: LaneOf): string {
    const set = deps.limitsOf(provider, deployment)
    const named = deployment === undefined ? [] : [deployment]
    return JSON.stringify([provider, credentialId, ...(set ? named : [deployment, providerModel])])
  }

  function laneOf(of: LaneOf, limits: LaneLimits): Lane {
    const key = keyOf(of)
    const lane = lanes.get(key) ?? newLane(deps, { key, provider: of.provider }, limits)
    lane.limits = limits
    lanes.set(key, lane)
    stopRenewing ??= clock.every(renewEveryMs, renew)
    return lane
  }

  function renew() {
    for (const [key, lane] of lanes) {
      if (isInUse(lane)) void lane.rounds.run()
      // While it asks, it must be known, or nobody would stop it at the end.
      else if (!lane.isAsking && lane.forecast.away().size === 0) lanes.delete(key)
    }
  }

  const stopWaiting = () => refuseAll(lanes.values())
  const waitingIn = (which: 'people' | 'batch') =>
    [...lanes.values()].reduce((sum, lane) => sum + lane[which].size(), 0)

  return {
    isLimited: (of) => limitsOf(of) !== undefined,
    enter(of, call) {
      const limits = limitsOf(of)
      if (!limits) return undefined
      const lane = laneOf(of, limits)
      const entered = enqueue(clock, call.isBatch ? lane.batch : lane.people, call)
      void lane.rounds.run()
      return entered
    },
    positionOf(of, call) {
      const limits = limitsOf(of)
      if (!limits) return { position: 1, ms: 0 }
      return positionIn(laneOf(of, limits), call)
    },
    leave(of, call, ms) {
      const limits = limitsOf(of)
      if (limits) laneOf(of, limits).forecast.leave(call, ms)
    },
    waiting: () => ({ people: waitingIn('people'), batch: waitingIn('batch') }),
    uses: () => usesOf(lanes.values(), clock.monotonicMs()),
    waitingFor(of) {
      const lane = lanes.size === 0 || !limitsOf(of) ? undefined : lanes.get(keyOf(of))
      return lane ? lane.people.size() + lane.batch.size() : 0
    },
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

function refuseAll(lanes: Iterable<Lane>) {
  for (const { people, batch } of lanes) {
    for (const queue of [people, batch])
      for (let one = queue.takeNext(); one; one = queue.takeNext()) one.refuse(leaving(one))
  }
}

function positionIn({ people, batch, forecast, limits }: Lane, call: PlacedCall): LanePosition {
  const before = (call.isBatch ? batch : people).before(call, forecast.away())
  return { position: before + 1, ms: forecast.waitMs(before, limits) }
}

function newLane(deps: Deps, of: Pick<Lane, 'key' | 'provider'>, limits: LaneLimits): Lane {
  const rounds = coalesce(() => runRound(deps, lane), { timers: deps.clock })
  const lane: Lane = {
    ...{ ...of, limits, ended: noEnds() },
    inFlight: new Map(),
    knownInFlight: 0,
    ...{ cancelNext: undefined, isAsking: false, isClosed: false },
    forecast: createLaneForecast(deps.clock),
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
  const inFlight = inFlightIn(lane)
  lane.ended = noEnds()
  lane.knownInFlight = null
  const tokensOf = (entries: LaneEntry[]) => entries.map(({ tokens }) => tokens)
  const asked = { people: tokensOf(people), batch: tokensOf(batch) }
  const ask = { user: deps.user, limits, ...asked, inFlight, ended }
  let grant: ReturnType<typeof take>
  lane.isAsking = true
  try {
    grant = await deps.store.change(lane.key, (state, nowMs) => take(state, ask, nowMs))
  } catch (error) {
    deps.onError(error)
    // If it may have been stored, nothing is given back twice: the limits fill up by themselves.
    if (!(error instanceof CommitUnknown)) {
      lane.ended.tokens += ended.tokens
      lane.ended.unsent += ended.unsent
    }
    return runIn(deps, lane, afterFailureMs)
  } finally {
    lane.isAsking = false
  }
  lane.knownInFlight = inFlight + grant.people + grant.batch
  // Somebody may have left meanwhile: what was granted to them is for the next in line.
  for (let i = 0; i < grant.people; i++) admitNext(lane, lane.people)
  for (let i = 0; i < grant.batch; i++) admitNext(lane, lane.batch)
  if (grant.againInMs !== null && isWaiting(lane)) runIn(deps, lane, grant.againInMs)
}

function admitNext(lane: Lane, queue: FairQueue<LaneEntry>) {
  const entry = queue.takeNext()
  if (!entry) {
    lane.ended.unsent += 1
    return
  }
  if (entry.isBatch) lane.forecast.admitted()
  count(lane, entry.model, 1)
  let isOver = false
  entry.admit({
    left(usedTokens) {
      if (isOver) return
      isOver = true
      count(lane, entry.model, -1)
      const used = usedTokens === 'unsent' ? 0 : (usedTokens ?? entry.tokens)
      lane.ended.tokens += Math.max(0, entry.tokens - used)
      if (usedTokens === 'unsent') lane.ended.unsent += 1
      if (isWaiting(lane) || lane.limits.concurrency !== undefined) void lane.rounds.run()
    },
  })
}

function count({ inFlight }: Lane, model: string, change: 1 | -1) {
  const calls = (inFlight.get(model) ?? 0) + change
  if (calls > 0) inFlight.set(model, calls)
  else inFlight.delete(model)
}

type Lane = {
  key: string
  provider: string
  limits: LaneLimits
  /** By model. */
  inFlight: Map<string, number>
  /** How many others believe to be out; null if that is not known. */
  knownInFlight: number | null
  ended: LaneEnds
  people: FairQueue<LaneEntry>
  batch: FairQueue<LaneEntry>
  rounds: Coalesced
  forecast: LaneForecast
  cancelNext: (() => void) | undefined
  isAsking: boolean
  /** Calls in flight may end after the database is closed. */
  isClosed: boolean
}

const isWaiting = ({ people, batch }: Lane) => people.size() + batch.size() > 0

const inFlightIn = ({ inFlight }: Lane) => [...inFlight.values()].reduce((sum, n) => sum + n, 0)

const isInUse = (lane: Lane) =>
  lane.inFlight.size > 0 || isWaiting(lane) || lane.knownInFlight !== 0
