import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LaneAsk, newLane, noEnds, take } from '#core/lane.ts'

const asking = (ask: Partial<LaneAsk>): LaneAsk => ({
  user: 'a',
  limits: { requestsPerMinute: 60 },
  people: [],
  batch: [],
  inFlight: 0,
  ended: noEnds(),
  ...ask,
})
const many = (count: number, tokens = 0) => Array<number>(count).fill(tokens)

/** Steps through time; each process asks as often as it is told to, and its calls end at once. */
function drive(asks: LaneAsk[], forMs: number, stepMs = 50) {
  const state = newLane()
  const sent: { atMs: number; user: string; kind: 'people' | 'batch'; tokens: number }[] = []
  for (let atMs = 0; atMs < forMs; atMs += stepMs) {
    for (const ask of asks) {
      const { user } = ask
      const grant = take(state, ask, atMs)
      for (const kind of ['people', 'batch'] as const)
        for (let i = 0; i < grant[kind]; i++)
          sent.push({ atMs, user, kind, tokens: ask[kind][i] ?? 0 })
    }
  }
  return sent
}

/** By the vendor's clock, to which the first calls came so much later than those after them. */
function mostInAMinute(
  sent: readonly { atMs: number; tokens: number }[],
  { tokens = false, lateMs = 0 } = {},
) {
  return Math.max(
    ...sent.map(({ atMs }) =>
      sent
        .filter((one) => one.atMs >= atMs && one.atMs < atMs + 60_000 + lateMs)
        .reduce((sum, one) => sum + (tokens ? one.tokens : 1), 0),
    ),
  )
}

test('in no minute more calls go than the limit, and at least four fifths of it do', () => {
  const asks = ['a', 'b', 'c'].map((user) => asking({ user, batch: many(50) }))
  const sent = drive(asks, 180_000)
  const most = mostInAMinute(sent)
  assert.ok(most <= 60 && most >= 48, `${most}`)
  // Also if the first of them came late: by more at the beginning, when all is slow.
  assert.ok(mostInAMinute(sent, { lateMs: 2_000 }) <= 60)
  assert.ok(sent.filter(({ atMs }) => atMs < 67_000).length <= 60)
})

test('nor more tokens', () => {
  const limits = { tokensPerMinute: 60_000 }
  const sent = drive([asking({ limits, people: many(50, 700) })], 180_000)
  const most = mostInAMinute(sent, { tokens: true })
  assert.ok(most <= 60_000 && most >= 42_000, `${most}`)
})

test('people go first, but a fifth of the calls are of the batch', () => {
  for (const asks of [
    [asking({ people: many(50), batch: many(50) })],
    [asking({ people: many(50) }), asking({ user: 'b', batch: many(50) })],
  ]) {
    const sent = drive(asks, 300_000)
    const share = sent.filter(({ kind }) => kind === 'batch').length / sent.length
    assert.ok(share > 0.18 && share < 0.25, `${share}`)
  }
})

test('processes that wait get equal shares', () => {
  const asks = ['a', 'b', 'c'].map((user) => asking({ user, batch: many(50) }))
  const sent = drive(asks, 180_000)
  for (const { user } of asks) {
    const share = sent.filter((one) => one.user === user).length / sent.length
    assert.ok(share > 0.25 && share < 0.42, `${user} ${share}`)
  }
})

test('no more calls are under way than may be, and those of a dead process are forgotten', () => {
  const state = newLane()
  const ask = asking({ limits: { concurrency: 3 }, batch: many(9) })
  assert.equal(take(state, ask, 0).batch, 3)
  assert.equal(take(state, { ...ask, user: 'b' }, 1).batch, 0)
  assert.equal(take(state, { ...ask, inFlight: 1 }, 2).batch, 1)
  assert.equal(take(state, { ...ask, user: 'b', batch: many(1) }, 3).batch, 1)
  assert.equal(take(state, { ...ask, user: 'c' }, 100_000).batch, 3)
})

test('tokens that a call reserved and did not use are there for the next', () => {
  const state = newLane()
  const ask = asking({ limits: { tokensPerMinute: 40_000 }, people: [9_000] })
  assert.equal(take(state, ask, 0).people, 1)
  assert.equal(take(state, ask, 1).people, 0)
  assert.equal(take(state, { ...ask, ended: { ...noEnds(), tokens: 8_500 } }, 2).people, 1)
})

test('a call that sent nothing leaves its request to the next', () => {
  const state = newLane()
  const ask = asking({ people: many(2) })
  assert.equal(take(state, ask, 0).people, 1)
  assert.equal(take(state, ask, 1).people, 0)
  assert.equal(take(state, { ...ask, ended: { ...noEnds(), unsent: 1 } }, 2).people, 1)
})
