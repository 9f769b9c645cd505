// The capacity of one provider key, shared by all processes: who may call now, and who waits. Pure:
// whoever stores the state decides with it inside one transaction.
//
// A bucket of a tenth of the limit, whose other nine tenths refill in 62 seconds, never lets more than
// the limit through in so long. The vendor's minute begins anywhere, and calls reach it late: the two
// seconds are for those that took longer than others. The bucket of requests is empty at first, because
// nobody knows what was sent before, and first calls are the slowest.

export type LaneLimits = {
  concurrency?: number | undefined
  requestsPerMinute?: number | undefined
  tokensPerMinute?: number | undefined
}

type Bucket = { level: number; atMs: number }

/** A process that uses the lane. */
type LaneUser = {
  inFlight: number
  /** Calls that wait. */
  people: number
  batch: number
  /** How often it was its turn, counted from the others' when it began to wait. */
  turns: { people: number; batch: number }
  seenMs: number
}

export type LaneState = {
  requests: Bucket | null
  tokens: Bucket | null
  users: Record<string, LaneUser>
  /** Calls of the batch that may go before people, because people went before them. */
  owedToBatch: number
}

export const newLane = (): LaneState => ({
  requests: null,
  tokens: null,
  users: {},
  owedToBatch: 0,
})

/** What a process asks for. Each call is its tokens; the first of a list goes first. */
export type LaneAsk = {
  user: string
  limits: LaneLimits
  people: readonly number[]
  batch: readonly number[]
  /**
   * Its calls that are out. It may not know whether what it asked for last was stored; a number of
   * its own is right in any case, where those that have ended since then would be taken off twice.
   */
  inFlight: number
  ended: LaneEnds
}

/** What calls that have ended since the last time did not use. */
export type LaneEnds = {
  tokens: number
  /** Calls that sent nothing. */
  unsent: number
}

export const noEnds = (): LaneEnds => ({ tokens: 0, unsent: 0 })

type LaneGrant = { people: number; batch: number; againInMs: number | null }

/** What goes on in the lanes of one model, in one process. */
export type LaneUse = {
  provider: string
  model: string
  /** Calls that wait. */
  people: number
  batch: number
  inFlight: number
  /** How long the oldest of them has been waiting. */
  oldestMs: number
}

export const pauseReasons = ['RATE_LIMIT', 'FAILING', 'REFUSED'] as const

/** Until when calls are not made. `model` null: calls of all models with the key. */
export type LanePause = {
  model: string | null
  untilMs: number
  /** The vendor asked to wait, calls kept failing, or the vendor refuses the key. */
  why: (typeof pauseReasons)[number]
}

/** A key of the server that has limits or is paused. */
export type KeyLane = {
  provider: string
  /** The name of the key, if the provider has several. */
  key: string | null
  /** The model, if the vendor reports limits of it alone. */
  model: string | null
  limits: LaneLimits
  paused: LanePause | null
}

/** A process that has not asked for so long holds nothing any more. */
const forgottenMs = 60_000
/** One that waits asks more often than this; if it does not, nobody waits for it. */
const silentMs = 1_000
const windowMs = 62_000
/** `first`: what is in a new bucket. One call alone may need most of the tokens. */
type BucketRule = { share: number; first: number }
const requestRule: BucketRule = { share: 0.1, first: 1 }
const tokenRule: BucketRule = { share: 0.25, first: Number.POSITIVE_INFINITY }
/** Four calls of people, then one of the batch: a fifth. */
const owedPerPerson = 0.25
const mostOwed = 25
const soonestMs = 20
const latestMs = 250

/** Changes the state, and returns how many of each list may go. */
export function take(state: LaneState, ask: LaneAsk, nowMs: number): LaneGrant {
  const { limits, people, batch } = ask
  forget(state, nowMs)
  const requests = refilled(state.requests, limits.requestsPerMinute, requestRule, nowMs)
  const tokens = refilled(state.tokens, limits.tokensPerMinute, tokenRule, nowMs)
  const user = state.users[ask.user] ?? newUser(nowMs)
  user.inFlight = ask.inFlight
  giveBack(requests, ask.ended.unsent)
  giveBack(tokens, ask.ended.tokens)
  state.users[ask.user] = user
  const others = Object.entries(state.users).flatMap(([id, other]) =>
    id !== ask.user && nowMs - other.seenMs < silentMs ? [other] : [],
  )
  for (const kind of kinds) catchUp(user, others, kind)
  let left = shareOf(state, { limits, requests, others })
  const granted = { people: 0, batch: 0 }
  for (; left >= 1; left--) {
    const turn = nextTurn(state, ask, granted, { user, others, ahead: aheadIn(limits) })
    if (!turn) break
    const needed = (turn === 'people' ? people : batch)[granted[turn]] ?? 0
    if (tokens && tokens.bucket.level < Math.min(needed, tokens.burst)) break
    if (tokens) tokens.bucket.level -= needed
    if (requests) requests.bucket.level -= 1
    user.inFlight += 1
    user.turns[turn] += 1
    granted[turn] += 1
  }
  user.people = people.length - granted.people
  user.batch = batch.length - granted.batch
  user.seenMs = nowMs
  state.requests = requests?.bucket ?? null
  state.tokens = tokens?.bucket ?? null
  return { ...granted, againInMs: user.people + user.batch > 0 ? againIn(limits) : null }
}

type Filled = { bucket: Bucket; burst: number } | undefined

function refilled(
  bucket: Bucket | null,
  perMinute: number | undefined,
  { share, first }: BucketRule,
  nowMs: number,
): Filled {
  if (perMinute === undefined) return undefined
  const burst = Math.max(1, perMinute * share)
  const perMs = Math.max(perMinute - burst, perMinute / 2) / windowMs
  if (!bucket) return { bucket: { level: Math.min(first, burst), atMs: nowMs }, burst }
  const level = Math.min(burst, bucket.level + Math.max(0, nowMs - bucket.atMs) * perMs)
  return { bucket: { level, atMs: nowMs }, burst }
}

function giveBack(filled: Filled, unused: number) {
  if (filled) filled.bucket.level = Math.min(filled.burst, filled.bucket.level + unused)
}

/** Processes that wait have equal shares of what is free, so that none takes all of it. */
function shareOf(
  state: LaneState,
  {
    limits,
    requests,
    others,
  }: { limits: LaneLimits; requests: Filled; others: readonly LaneUser[] },
): number {
  const inFlight = Object.values(state.users).reduce((sum, user) => sum + user.inFlight, 0)
  const free = Math.min(
    requests?.bucket.level ?? Number.POSITIVE_INFINITY,
    (limits.concurrency ?? Number.POSITIVE_INFINITY) - inFlight,
  )
  const waiting = others.filter(({ people, batch }) => people + batch > 0).length
  return free < 1 ? 0 : Math.max(1, Math.floor(free / (waiting + 1)))
}

/** People first, also those of other processes; but each four of them let one of the batch go. */
function nextTurn(
  state: LaneState,
  { people, batch }: LaneAsk,
  granted: { people: number; batch: number },
  turn: Turn,
): Kind | undefined {
  const { others } = turn
  const hasPeople = people.length > granted.people
  const hasBatch = batch.length > granted.batch
  const peopleWait = hasPeople || others.some((other) => other.people > 0)
  const batchWaitsThere = others.some((other) => other.batch > 0)
  const isOwed = state.owedToBatch >= 1
  if (hasBatch && (!peopleWait || isOwed) && isTurnOf(turn, 'batch')) {
    if (peopleWait) state.owedToBatch -= 1
    return 'batch'
  }
  if (!hasPeople || (isOwed && batchWaitsThere) || !isTurnOf(turn, 'people')) return undefined
  const batchWaits = hasBatch || batchWaitsThere
  state.owedToBatch = batchWaits ? Math.min(mostOwed, state.owedToBatch + owedPerPerson) : 0
  return 'people'
}

const kinds = ['people', 'batch'] as const
type Kind = (typeof kinds)[number]

type Turn = { user: LaneUser; others: readonly LaneUser[]; ahead: number }

/** Nobody else who waits has had so many fewer turns. */
const isTurnOf = ({ user, others, ahead }: Turn, kind: Kind): boolean =>
  others.every((other) => other[kind] === 0 || other.turns[kind] + ahead > user.turns[kind])

/**
 * How far a process may be ahead of one that waits: as many calls as go while that one does not
 * look. Without it, each call would wait for the other process to look.
 */
const aheadIn = ({ concurrency, requestsPerMinute }: LaneLimits): number =>
  Math.max(1, Math.floor(Math.min(concurrency ?? 8, (requestsPerMinute ?? 480) / 60, 8)))

/** Whoever did not wait has not saved up turns. */
function catchUp(user: LaneUser, others: readonly LaneUser[], kind: Kind) {
  if (user[kind] > 0) return
  const waiting = others.filter((other) => other[kind] > 0).map(({ turns }) => turns[kind])
  if (waiting.length > 0) user.turns[kind] = Math.max(user.turns[kind], Math.min(...waiting))
}

const newUser = (seenMs: number): LaneUser => ({
  ...{ inFlight: 0, people: 0, batch: 0, seenMs },
  turns: { people: 0, batch: 0 },
})

function forget(state: LaneState, nowMs: number) {
  for (const [id, { seenMs }] of Object.entries(state.users)) {
    if (nowMs - seenMs > forgottenMs) delete state.users[id]
  }
}

const againIn = ({ requestsPerMinute }: LaneLimits): number =>
  requestsPerMinute === undefined
    ? latestMs
    : Math.min(latestMs, Math.max(soonestMs, 60_000 / requestsPerMinute))
