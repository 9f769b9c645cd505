// What a run may still spend under its maxCost. A call that fits what is spent, but not what calls
// in flight may cost, waits for those to end, in the order the calls came; it is refused only if it
// does not fit what is spent. Those in flight end by themselves, so that a run never blocks itself.
//
// Spent is what the ledger books, also for calls that brought nothing: whoever fails tells it here,
// and a run that goes on after another worker, or a sleep, begins with what the ledger says.
import type { Ledger } from '#store/engine-store.ts'
import { StepFailure } from './node-error.ts'
import type { Halt } from './run-halt.ts'

/**
 * What the ledger books for calls: their cost or, while that is open, the most. By their tasks, or
 * their paths if they have none.
 */
export type Booked = ReadonlyMap<string, number>

export type RunMoney = {
  /** Paid for ended calls, and booked for those of an earlier worker that were not taken up yet. */
  readonly spentMicros: number
  /** Reserved for calls in flight. */
  readonly heldMicros: number
  /** Reserves the most that a call can cost. Throws if the run may not spend that. */
  hold(neededMicros: number): Promise<void> | undefined
  /** For a call that is in flight already, such as a task that an earlier worker ordered. */
  holdAgain(call: string, neededMicros: number): undefined
  /** Ends the reservation. What the call did cost is paid first. */
  release(neededMicros: number): void
  pay(costMicros: number): void
  /** The cost of a call that is only read again: what was booked for it counts already. */
  payAgain(costMicros: number): void
  /** All that the ledger books for a call now, in place of what it did. */
  book(call: string, micros: number): void
}

type Waiting = { neededMicros: number; admit(): void; refuse(error: unknown): void }

export function bookedIn(attempts: Awaited<ReturnType<Ledger['attemptsOf']>>): Booked {
  const booked = new Map<string, number>()
  for (const { call, outcome, cost_micros: cost, reserved_micros: most } of attempts) {
    const micros = outcome === 'PENDING' ? most : (cost ?? 0)
    booked.set(call, (booked.get(call) ?? 0) + micros)
  }
  return booked
}

/** `before`: what is booked for calls of earlier workers; null if nobody has asked. */
export function createRunMoney(
  limitMicros: number | null,
  halt: Halt,
  before: Booked | null = null,
): RunMoney {
  const waiting: Waiting[] = []
  const booked = new Map(before)
  const fits = (neededMicros: number, usedMicros: number) =>
    limitMicros === null || neededMicros === 0 || usedMicros + neededMicros <= limitMicros
  const inAll = () => money.spentMicros + money.heldMicros

  /** First come, first served: none overtakes one that waits. */
  function admitWaiting() {
    for (let first = waiting[0]; first; first = waiting[0]) {
      const isPossible = fits(first.neededMicros, money.spentMicros)
      if (isPossible && !fits(first.neededMicros, inAll())) return
      waiting.shift()
      if (isPossible) {
        money.heldMicros += first.neededMicros
        first.admit()
      } else first.refuse(limitReached())
    }
  }

  async function wait(neededMicros: number): Promise<void> {
    const { promise, resolve: admit, reject: refuse } = Promise.withResolvers<void>()
    const one = { neededMicros, admit, refuse }
    const leave = () => {
      waiting.splice(waiting.indexOf(one), 1)
      refuse(ending.reason)
      admitWaiting()
    }
    waiting.push(one)
    const ending = halt.ending()
    ending.addEventListener('abort', leave)
    await promise.finally(() => ending.removeEventListener('abort', leave))
  }

  const money = {
    spentMicros: [...booked.values()].reduce((sum, micros) => sum + micros, 0),
    heldMicros: 0,
    hold(neededMicros: number) {
      if (!fits(neededMicros, money.spentMicros)) throw limitReached()
      const mustWait = neededMicros > 0 && waiting.length > 0
      if (mustWait || !fits(neededMicros, inAll())) return wait(neededMicros)
      money.heldMicros += neededMicros
      return undefined
    },
    holdAgain(call: string, neededMicros: number) {
      money.book(call, 0)
      money.heldMicros += neededMicros
      return undefined
    },
    release(neededMicros: number) {
      money.heldMicros -= neededMicros
      admitWaiting()
    },
    pay(costMicros: number) {
      money.spentMicros += costMicros
    },
    payAgain(costMicros: number) {
      if (!before) money.pay(costMicros)
    },
    book(call: string, micros: number) {
      money.spentMicros += micros - (booked.get(call) ?? 0)
      booked.set(call, micros)
    },
  }
  return money
}

const limitReached = () =>
  new StepFailure({
    code: 'COST_LIMIT_REACHED',
    message: 'The next call could exceed maxCost, so it was not made.',
    retryable: false,
  })
