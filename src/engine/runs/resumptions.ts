// Runs that continue after their worker died. One of them may be what it died of, for example for
// lack of memory, and all of them at once may be too much. So they begin few at a time, and not
// while memory is full. Each counts one death before it begins, which is taken back once it has
// gone well for a while; one that was begun a few times in vain is a suspect and begins alone, after
// all others, so that only the one at fault keeps counting until it is ended (decision 11).
//
//   claimed, epoch > 1 ─▶ turn ─▶ deaths + 1 ─▶ executes ─▶ 30 s later: deaths 0
//                          │                       └─ the process dies: the next worker starts over
//                          └─ deaths = 8: QUARANTINED
import type { Timers } from '#core/clock.ts'
import type { RunMemory } from './run-memory.ts'

/** More than a run meets by bad luck, even if its process is killed every second. */
export const maxDeaths = 8
/** After this time a run that continued is not what its worker may die of. */
export const survivedMs = 30_000
/** A run that exhausts the memory does so within a few seconds. */
export const observedMs = 5_000

const suspectFrom = 2
const atOnce = 8
const lookAgainMs = 100

export const isSuspect = (deaths: number) => deaths >= suspectFrom

export type Resumptions = {
  /** Resolves when the run may begin, with a function to call once it has begun. */
  turn(deaths: number): Promise<() => void>
}

type Waiting = { deaths: number; go(): void }

export function createResumptions(
  { isFull }: Pick<RunMemory, 'isFull'>,
  timers: Timers,
): Resumptions {
  const waiting: Waiting[] = []
  let free = atOnce
  let cancel = () => {}

  function next() {
    cancel()
    while (waiting.length > 0) {
      if (isFull()) {
        cancel = timers.after(lookAgainMs, next, { keepsAlive: false })
        return
      }
      const first = waiting.reduce((least, one) => (one.deaths < least.deaths ? one : least))
      const needed = slotsOf(first.deaths)
      if (needed > free) return
      free -= needed
      waiting.splice(waiting.indexOf(first), 1)
      first.go()
    }
  }

  return {
    turn: (deaths) =>
      new Promise((resolve) => {
        const begun = () => {
          free += slotsOf(deaths)
          next()
        }
        waiting.push({ deaths, go: () => resolve(begun) })
        next()
      }),
  }
}

const slotsOf = (deaths: number) => (isSuspect(deaths) ? atOnce : 1)
