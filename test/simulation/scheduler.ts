// Decides what happens next. Everything that a schedule consists of is a step: a timer, a statement
// that reaches the database, its answer, a request that reaches a provider. The seed chooses which
// of the possible steps comes next, and the promises that it settled run to their end before the
// one after it.
//
//   possible steps ── seed ──▶ one step ──▶ its microtasks ──▶ the next choice
//         ▲
//         └── none is left, or the seed says so: time passes, and timers become steps
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

export type Scheduler = {
  readonly random: Random
  nowMs(): number
  /** Something that can happen from now on. */
  add(actor: Actor, what: string, run: () => void): void
  /** Something that can happen once `ms` have passed. Returns a function that takes it back. */
  addIn(ms: number, actor: Actor, what: string, run: () => void): () => void
  /** Nothing of it happens any more. */
  kill(actor: Actor): void
  /** Goes on until `isOver`; false if that takes more than `maxSteps`, or nothing is left to do. */
  run(options: { isOver(): boolean; maxSteps: number; beforeStep(): void }): Promise<boolean>
  /** Different if anything happened differently. */
  readonly hash: number
  readonly steps: number
}

const startMs = Date.UTC(2026, 0, 5, 23, 59, 40)
/** Shorter than a third of a lease, so that an idle process still renews it in time. */
const longestLeapMs = 9_000

export const newActor = (name: string): Actor => ({
  ...{ name, isDead: false, heldUpUntilMs: 0, clockOffsetMs: 0, isLate: false },
})

type State = {
  random: Random
  trueMs: number
  ready: Step[]
  timers: Timer[]
  hash: number
  steps: number
  trace: ((line: string) => void) | undefined
}

export function createScheduler(random: Random, trace?: (line: string) => void): Scheduler {
  const state: State = {
    ...{ random, trace, trueMs: startMs, ready: [], timers: [], hash: 0, steps: 0 },
  }
  return {
    random,
    nowMs: () => state.trueMs,
    add(actor, what, run) {
      if (!actor.isDead) state.ready.push({ actor, what, run })
    },
    addIn: (ms, actor, what, run) => addTimer(state, ms, { actor, what, run }),
    kill(actor) {
      actor.isDead = true
      state.ready = state.ready.filter((step) => step.actor !== actor)
      state.timers = state.timers.filter(({ step }) => step.actor !== actor)
    },
    run: ({ isOver, maxSteps, beforeStep }) =>
      new Promise((resolve, reject) => {
        // Ticks that a microtask adds come after all microtasks, so that a step is over before the
        // next one.
        const soon = () => queueMicrotask(() => process.nextTick(next))
        const next = () => {
          try {
            if (isOver()) return resolve(true)
            if (state.steps++ > maxSteps) return resolve(false)
            beforeStep()
            if (doNext(state)) soon()
            else resolve(false)
          } catch (error) {
            reject(error)
          }
        }
        soon()
      }),
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
  every(ms, callBack) {
    const fire = () => {
      cancel = scheduler.addIn(ms, actor, `every ${ms}`, fire)
      callBack()
    }
    let cancel = scheduler.addIn(ms, actor, `every ${ms}`, fire)
    return () => cancel()
  },
  nextTick: (callBack) => scheduler.add(actor, 'tick', callBack),
})

function addTimer(state: State, ms: number, { actor, what, run }: Step): () => void {
  let isCancelled = false
  const step = { actor, what, run: () => void (isCancelled || run()) }
  const timer = { atMs: state.trueMs + Math.max(0, ms), step }
  if (!actor.isDead) state.timers.push(timer)
  return () => {
    isCancelled = true
    state.timers = state.timers.filter((other) => other !== timer)
  }
}

/** False if nothing is left to do. */
function doNext(state: State): boolean {
  fireDue(state)
  const { random, ready } = state
  const possible: number[] = []
  for (const [index, { actor }] of ready.entries()) {
    if (actor.heldUpUntilMs <= state.trueMs) possible.push(index)
  }
  if (possible.length === 0 || random.chance(0.02)) return passTime(state)
  const [chosen] = ready.splice(random.pick(possible), 1)
  state.trueMs += random.below(3)
  if (!chosen) return true
  note(state, `${chosen.actor.name} ${chosen.what}`)
  chosen.run()
  return true
}

/** All that are due at the same moment may fire in any order. */
function fireDue(state: State): void {
  const isDue = ({ atMs, step }: Timer) => atMs <= state.trueMs && !step.actor.isLate
  if (!state.timers.some(isDue)) return
  for (const timer of state.timers) if (isDue(timer)) state.ready.push(timer.step)
  state.timers = state.timers.filter((timer) => !isDue(timer))
}

/** False if nothing would ever happen. */
function passTime(state: State): boolean {
  const { random, trueMs, timers, ready } = state
  let nextMs = Number.POSITIVE_INFINITY
  for (const { step, atMs } of timers) {
    nextMs = Math.min(nextMs, Math.max(atMs, step.actor.heldUpUntilMs))
  }
  for (const { actor } of ready) nextMs = Math.min(nextMs, Math.max(trueMs, actor.heldUpUntilMs))
  if (nextMs === Number.POSITIVE_INFINITY) return false
  // Late timers are the rule on a busy machine, and most polls find nothing.
  for (const actor of new Set(timers.map(({ step }) => step.actor))) {
    actor.isLate = random.chance(0.5)
  }
  const leapMs = random.chance(0.25) ? 0 : random.below(longestLeapMs)
  state.trueMs = Math.max(trueMs, nextMs) + leapMs
  return true
}

function note(state: State, what: string): void {
  let { hash } = state
  for (let i = 0; i < what.length; i++) hash = Math.imul(hash ^ what.charCodeAt(i), 0x01000193)
  state.hash = Math.imul(hash ^ (state.trueMs % 2 ** 31), 0x01000193)
  const seconds = (state.trueMs - startMs) / 1000
  state.trace?.(`${seconds.toFixed(3).padStart(9)} ${what}`)
}
