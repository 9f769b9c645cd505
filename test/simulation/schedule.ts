// One schedule: a few processes, a few clients, some faults, then calm, until everything has ended.
// The seed alone decides all of it, so that a schedule that went wrong can be watched again.
import { startClients } from './clients.ts'
import {
  type DatabaseFaults,
  type Network,
  openSharedDatabase,
  type SharedDatabase,
} from './database.ts'
import { checkEnd, isQuiet, unfinished } from './invariants.ts'
import { createOutside } from './outside.ts'
import { type Setting, type SimulatedProcess, startProcess } from './process.ts'
import { seededRandom } from './random.ts'
import { createScheduler, newActor, type Scheduler } from './scheduler.ts'
import { realTick, type Seal, sealWorld } from './sealed.ts'
import { addTriggered, addTriggers, checkTriggers } from './triggers.ts'
import { type Watch, watchRows } from './watch.ts'
import { addWorkflows, type StoredWorkflow } from './workflows.ts'

export type Outcome = {
  seed: number
  violations: string[]
  hash: number
  steps: number
  virtualMs: number
  faults: number
}

export type Simulation = AsyncDisposable & {
  /** `trace` gets a line for each step. */
  run(seed: number, trace?: (line: string) => void): Promise<Outcome>
}

type Parts = {
  shared: SharedDatabase
  watch: Watch
  workflows: ReadonlyMap<string, readonly StoredWorkflow[]>
  /** The workflow of triggers. */
  triggered: number
  seal: Seal
}

/** Real time and chance are out of reach until it is disposed of. */
export async function openSimulation(): Promise<Simulation> {
  const { shared, db } = await openSharedDatabase()
  let isShared = true
  shared.define('simulated_among_others', () => (isShared ? 1 : 0))
  const workflows = await addWorkflows(db)
  const triggered = await addTriggered(db)
  const watch = watchRows(shared)
  const rejections: unknown[] = []
  const onRejection = (error: unknown) => void rejections.push(error)
  process.on('unhandledRejection', onRejection)
  const seal = sealWorld()
  const parts = { shared, watch, workflows, triggered, seal }
  return {
    async run(seed, trace) {
      // Every second schedule has one process with the database to itself, as on SQLite.
      isShared = seed % 2 === 0
      const outcome = await runSchedule(parts, seed, isShared, trace)
      await realTick()
      for (const error of rejections.splice(0)) outcome.violations.push(`unhandled: ${error}`)
      return outcome
    },
    async [Symbol.asyncDispose]() {
      process.off('unhandledRejection', onRejection)
      seal[Symbol.dispose]()
    },
  }
}

const maxSteps = 300_000

async function runSchedule(
  { shared, watch, workflows, triggered, seal }: Parts,
  seed: number,
  isShared: boolean,
  trace?: (line: string) => void,
): Promise<Outcome> {
  const random = seededRandom(seed)
  seal.use(random)
  const scheduler = createScheduler(random, trace)
  const violations: string[] = []
  const violate = (what: string) => {
    trace?.(`          VIOLATION ${what}`)
    violations.push(what)
  }
  watch.begin(violate)
  shared.trace = undefined
  shared.reset()
  shared.trace = trace && ((sql) => trace(`            ${sql.replace(/\s+/g, ' ').slice(0, 400)}`))
  const network: Network = {
    ...{ scheduler, shared, violate, outageUntilMs: 0, listeners: new Map() },
    faults: chooseFaults(scheduler, isShared),
  }
  const outside = createOutside(scheduler, { canFind: random.chance(0.5) })
  const startMs = scheduler.nowMs()
  const timetable = addTriggers(shared, { random, startMs, workflowId: triggered })
  const fleet = startFleet({ network, outside, isShared }, trace)
  const reachable = () => {
    const open = fleet.alive().filter(({ isLeaving, services }) => services && !isLeaving)
    return open.length > 0 ? random.pick(open) : undefined
  }
  const promised = startClients({ scheduler, workflows, reachable, violate })
  const isOver = () => {
    if (violations.length > 0) return true
    if (!outside.isCalm && promised.isDone() && fleet.faultsLeft() === 0) {
      outside.isCalm = true
      network.faults = noFaults
    }
    return outside.isCalm && scheduler.steps % 8 === 0 && promised.isDone() && isQuiet(shared)
  }
  const hasEnded = await scheduler.run({ isOver, maxSteps, beforeStep: fleet.perturb })
  if (!hasEnded) violate(`it does not end: ${unfinished(shared)}`)
  if (violations.length === 0) checkEnd(shared, outside, promised, violate)
  if (violations.length === 0) checkTriggers(shared, timetable, violate)
  fleet.killAll()
  const virtualMs = scheduler.nowMs() - startMs
  const { hash, steps } = scheduler
  return { seed, violations, hash, steps, virtualMs, faults: fleet.faults() }
}

const noFaults: DatabaseFaults = { unavailable: 0, answerLost: 0, repeated: 0 }

/** A third of the schedules have a sound database, so that other faults are seen by themselves. */
function chooseFaults({ random }: Scheduler, isShared: boolean): DatabaseFaults {
  if (random.chance(0.33)) return { ...noFaults, repeated: 20 }
  // One process alone that cannot know whether it has written exits; a kill stands for that.
  return { unavailable: 10, answerLost: isShared ? 15 : 0, repeated: isShared ? 20 : 0 }
}

/** The processes of a schedule, and what befalls them. */
function startFleet(setting: Setting, trace?: (line: string) => void) {
  const { network, isShared } = setting
  const { scheduler } = network
  const { random } = scheduler
  const supervisor = newActor('supervisor')
  const size = isShared ? (random.chance(0.1) ? 3 : 2) : 1
  let started = 0
  let faultsLeft = random.below(4)
  let faults = 0
  let processes: SimulatedProcess[] = []
  const alive = () => processes.filter(({ actor }) => !actor.isDead)

  function start() {
    processes = alive()
    if (processes.length < size) processes.push(startProcess(setting, `p${++started}`))
  }
  const restart = () =>
    void scheduler.addIn(random.below(10_000), supervisor, 'starts a process', start)
  function kill({ actor }: SimulatedProcess) {
    scheduler.kill(actor)
    restart()
  }
  /** Ends by itself, or is killed if that takes too long. */
  function stop(one: SimulatedProcess) {
    if (one.isLeaving || !one.services) return
    void one.stop().then(() => one.actor.isDead || kill(one))
    scheduler.addIn(30_000, supervisor, 'kills a process', () => one.actor.isDead || kill(one))
  }
  const befall: Record<string, (one: SimulatedProcess) => void> = {
    kill,
    stop,
    'hold up': ({ actor }) => {
      actor.heldUpUntilMs = scheduler.nowMs() + 1_000 + random.below(60_000)
    },
    'clock of': ({ actor }) => {
      actor.clockOffsetMs += (random.chance(0.5) ? 1 : -1) * random.below(3_600_000)
    },
    'no database near': () => {
      network.outageUntilMs = scheduler.nowMs() + random.below(isShared ? 30_000 : 3_000)
    },
  }
  function perturb() {
    if (faultsLeft === 0 || random.below(40) > 0) return
    const up = alive()
    if (up.length === 0) return
    faultsLeft--
    faults++
    const what = random.pick(Object.keys(befall))
    const one = random.pick(up)
    trace?.(`          FAULT ${what} ${one.actor.name}`)
    befall[what]?.(one)
  }
  for (let i = 0; i < size; i++) start()
  // One that could not start has ended by itself.
  const look = () => {
    if (alive().length < size) start()
    scheduler.addIn(25_000, supervisor, 'looks after the processes', look)
  }
  scheduler.addIn(25_000, supervisor, 'looks after the processes', look)
  return {
    alive,
    perturb,
    faults: () => faults,
    faultsLeft: () => faultsLeft,
    killAll() {
      for (const { actor } of processes) scheduler.kill(actor)
    },
  }
}
