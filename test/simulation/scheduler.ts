// Decides what happens next. Everything that a schedule consists of is a step: a timer, a statement
// that reaches the database, its answer, a request that reaches a provider. The seed chooses which
// of the possible steps comes next, and the promises that it settled run to their end before the
// one after it.
//
//   possible steps ── seed ──▶ one step ──▶ its microtasks ──▶ the next choice
//         ▲
//         └── none is left, or the seed says so: time passes, and timers become steps
//
// A process looks after many things twice a second, and finds nothing most of the time. Polls that
// cannot find anything are left out nearly always, and time passes at once to when they can.
import type { TimedClock } from '#core/clock.ts'
import type { Random } from './random.ts'

/** A process, or a program outside. Its steps wait while it is held up, and vanish with it. */
export type Actor = {
  readonly name: string
  isDead: boolean
  /** True time. */
  heldUpUntilMs: number
  /** How far its own clock is from the true time. */
  clockOffsetMs: number
  /** Its timers are late this time. */
  isLate: boolean
}

type Step = { actor: Actor; what: string; run(): void }
type Timer = { atMs: number; step: Step }
type Poll = Timer & { seen: number; firedMs: number }

/** What polls look at. */
export type Watched = {
  /** Changes with what they could find. */
  version(): number
  /** When time alone gives them something to find, after `ms`. */
  nextDueMs(ms: number): number
}

export type Scheduler = {
  readonly random: Random
  nowMs(): number
  /** Something that can happen from now on. */
  add(actor: Actor, what: string, run: () => void): void
  /** Something that can happen once `ms` have passed. Returns a function that takes it back. */
  addIn(ms: number, actor: Actor, what: string, run: () => void): () => void
  /** Something that can happen again and again. */
  addEvery(ms: number, actor: Actor, run: () => void): () => void
  /** Nothing of it happens any more. */
  kill(actor: Actor): void
  /** Every process may have something to find. */
  stirUp(): void
  /** Goes on until `isOver`; false if that takes more than `maxSteps`, or nothing is left to do. */
  run(options: { isOver(): boolean; maxSteps: number; beforeStep(): void }): Promise<boolean>
  /** Different if anything happened differently. */
  readonly hash: number
  readonly steps: number
  /** Nothing can happen until time passes. */
  isIdle(): boolean
}

export const startMs = Date.UTC(2026, 0, 5, 23, 59, 40)
/** Shorter than a third of a lease, so that an idle process still renews it in time. */
const longestLeapMs = 9_000
const shortLeapMs = 300
/** What happens less often is no poll: a lease is renewed every ten seconds. */
const longestPollMs = 9_000

export const newActor = (name: string): Actor => ({
  ...{ name, isDead: false, heldUpUntilMs: 0, clockOffsetMs: 0, isLate: false },
})

type State = {
  random: Random
  watched: Watched
  trueMs: number
  ready: Step[]
  timers: Timer[]
  polls: Poll[]
  /** How likely a poll is that may find something: in some schedules processes are slow. */
  pollChance: number
  hash: number
  steps: number
  trace: ((line: string) => void) | undefined
}

export function createScheduler(
  random: Random,
  watched: Watched,
  trace?: (line: string) => void,
): Scheduler {
  const state: State = {
    ...{ random, watched, trace, trueMs: startMs, hash: 0, steps: 0 },
    ...{ ready: [], timers: [], polls: [], pollChance: random.chance(0.25) ? 0.5 : 0.12 },
  }
  return {
    random,
    nowMs: () => state.trueMs,
    add(actor, what, run) {
      if (!actor.isDead) state.ready.push({ actor, what, run })
    },
    addIn: (ms, actor, what, run) => addTimer(state, ms, { actor, what, run }),
    addEvery: (ms, actor, run) => addEvery(state, ms, { actor, what: `every ${ms}`, run }),
    kill(actor) {
      actor.isDead = true
      const lives = ({ step }: Timer) => step.actor !== actor
      state.ready = state.ready.filter((step) => step.actor !== actor)
      state.timers = state.timers.filter(lives)
      state.polls = state.polls.filter(lives)
    },
    stirUp() {
      for (const poll of state.polls) poll.seen = -1
    },
    run: ({ isOver, maxSteps, beforeStep }) =>
      new Promise((resolve, reject) => {
        // Ticks that a microtask adds come after all microtasks, so that a step is over before the
        // next one.
        const soon = () => queueMicrotask(() => process.nextTick(next))
        const next = () => {
          try {
            for (;;) {
              if (isOver()) return resolve(true)
              if (state.steps++ > maxSteps) return resolve(false)
              beforeStep()
              const step = choose(state)
              if (step === 'nothing') return resolve(false)
              if (step === 'time') continue
              note(state, step)
              step.run()
              return soon()
            }
          } catch (error) {
            reject(error)
          }
        }
        soon()
      }),
    isIdle: () => state.ready.length === 0,
    get hash() {
      return state.hash >>> 0
    },
    get steps() {
      return state.steps
    },
  }
}

/** The time as a process has it. */
export const clockOf = (scheduler: Scheduler, actor: Actor): TimedClock => ({
  nowMs: () => scheduler.nowMs() + actor.clockOffsetMs,
  monotonicMs: scheduler.nowMs,
  after: (ms, callBack) => scheduler.addIn(ms, actor, 'timer', callBack),
  every: (ms, callBack) => scheduler.addEvery(ms, actor, callBack),
  nextTick: (callBack) => scheduler.add(actor, 'tick', callBack),
})

function addTimer(state: State, ms: number, { actor, what, run }: Step): () => void {
  let isCancelled = false
  const step = { actor, what, run: () => void (isCancelled || run()) }
  const timer = { atMs: state.trueMs + Math.max(0, ms), step }
  if (!actor.isDead) state.timers.push(timer)
  return () => {
    isCancelled = true
    remove(state.timers, timer)
  }
}

function addEvery(state: State, ms: number, { actor, what, run }: Step): () => void {
  if (ms > longestPollMs) {
    const fire = () => {
      cancel = addTimer(state, ms, { actor, what, run: fire })
      run()
    }
    let cancel = addTimer(state, ms, { actor, what, run: fire })
    return () => cancel()
  }
  let isCancelled = false
  const fire = () => {
    if (isCancelled) return
    arm()
    run()
  }
  const poll: Poll = { atMs: 0, seen: -1, firedMs: 0, step: { actor, what, run: fire } }
  const arm = () => {
    poll.atMs = state.trueMs + ms
    poll.seen = state.watched.version()
    poll.firedMs = state.trueMs
    if (!actor.isDead) state.polls.push(poll)
  }
  arm()
  poll.seen = -1
  return () => {
    isCancelled = true
    remove(state.polls, poll)
  }
}

function remove<T>(from: T[], one: T): void {
  const index = from.indexOf(one)
  if (index >= 0) from.splice(index, 1)
}

function choose(state: State): Step | 'time' | 'nothing' {
  fireDue(state)
  const { random, ready, trueMs } = state
  let possible = 0
  for (const { actor } of ready) if (actor.heldUpUntilMs <= trueMs) possible++
  if (possible === 0 || random.chance(0.02)) return passTime(state) ? 'time' : 'nothing'
  let left = random.below(possible)
  let index = 0
  for (; ; index++) if ((ready[index] as Step).actor.heldUpUntilMs <= trueMs && left-- === 0) break
  const [chosen] = ready.splice(index, 1)
  state.trueMs += random.below(3)
  return chosen as Step
}

/** All that are due at the same moment may fire in any order. */
function fireDue({ timers, ready, trueMs }: State): void {
  for (let i = 0; i < timers.length; ) {
    const { atMs, step } = timers[i] as Timer
    if (atMs > trueMs || step.actor.isLate) i++
    else ready.push(...timers.splice(i, 1).map((timer) => timer.step))
  }
}

/** False if nothing would ever happen. */
function passTime(state: State): boolean {
  const { random, trueMs, timers, ready, polls, pollChance } = state
  let nextMs = Number.POSITIVE_INFINITY
  for (const { step, atMs } of timers) {
    nextMs = Math.min(nextMs, Math.max(atMs, step.actor.heldUpUntilMs))
  }
  for (const { actor } of ready) nextMs = Math.min(nextMs, Math.max(trueMs, actor.heldUpUntilMs))
  for (const poll of polls) nextMs = Math.min(nextMs, findsAtMs(state, poll))
  if (nextMs === Number.POSITIVE_INFINITY) return false
  // Late timers are the rule on a busy machine.
  const actors = new Set(timers.map(({ step }) => step.actor))
  for (const actor of actors) actor.isLate = random.chance(0.3)
  const leapMs = random.below(random.chance(0.5) ? shortLeapMs : longestLeapMs)
  state.trueMs = Math.max(trueMs, nextMs) + leapMs
  for (let i = 0; i < polls.length; ) {
    const poll = polls[i] as Poll
    const isDue = poll.atMs <= state.trueMs
    const isFired =
      isDue && random.chance(findsAtMs(state, poll) <= state.trueMs ? pollChance : 0.01)
    if (isFired) ready.push(...polls.splice(i, 1).map(({ step }) => step))
    else i++
  }
  return true
}

/** When a poll can find something at the earliest. */
function findsAtMs({ watched }: State, { seen, firedMs, atMs, step: { actor } }: Poll): number {
  const foundMs = seen === watched.version() ? watched.nextDueMs(firedMs) : 0
  return Math.max(foundMs, atMs, actor.heldUpUntilMs)
}

function note(state: State, { actor, what }: Step): void {
  const { name } = actor
  let { hash } = state
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  for (let i = 0; i < what.length; i++) hash = Math.imul(hash ^ what.charCodeAt(i), 0x01000193)
  state.hash = Math.imul(hash ^ (state.trueMs % 2 ** 31), 0x01000193)
  if (!state.trace) return
  const seconds = (state.trueMs - startMs) / 1000
  state.trace(`${seconds.toFixed(3).padStart(9)} ${name} ${what}`)
}
