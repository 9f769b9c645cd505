// The processes of a schedule, and what befalls them.
import { leaseMs, type Setting, type SimulatedProcess, startProcess } from './process.ts'
import { type Actor, newActor } from './scheduler.ts'

export type Fleet = {
  alive(): SimulatedProcess[]
  /** Something may befall one of them. */
  perturb(): void
  faults(): number
  faultsLeft(): number
  killAll(): void
}

type Trace = ((line: string) => void) | undefined

export function startFleet(
  setting: Setting & { size: number; faults: { most: number; oneOf: number } },
  trace: Trace,
): Fleet {
  const { network, size, faults: planned } = setting
  const { scheduler } = network
  const { random } = scheduler
  const fleet = keepAlive(setting, size)
  const befall = misfortunes(setting, fleet)
  let faultsLeft = random.below(planned.most + 1)
  let faults = 0
  /** Between a commit and its answer something is true that its process does not know yet. */
  let isAtCommit = random.chance(0.5)
  const befalls = (one: SimulatedProcess) => {
    faultsLeft--
    faults++
    isAtCommit = random.chance(0.5)
    const what = random.pick(Object.keys(befall))
    trace?.(`          FAULT ${what} ${one.actor.name}`)
    befall[what]?.(one)
    scheduler.stirUp()
  }
  const mayBefall = (isNow: boolean) =>
    faultsLeft > 0 && isNow && random.below(planned.oneOf) === 0 ? fleet.alive() : []
  network.onCommit = (actor: Actor) => {
    const one = mayBefall(isAtCommit).find((process) => process.actor === actor)
    if (one) befalls(one)
  }
  return {
    alive: fleet.alive,
    perturb() {
      const up = mayBefall(!isAtCommit)
      if (up.length > 0) befalls(random.pick(up))
    },
    faults: () => faults,
    faultsLeft: () => faultsLeft,
    killAll() {
      for (const { actor } of fleet.alive()) scheduler.kill(actor)
    },
  }
}

/** Whoever dies is followed by another one. */
function keepAlive(setting: Setting, size: number) {
  const { scheduler } = setting.network
  const { random } = scheduler
  const supervisor = newActor('supervisor')
  let started = 0
  let processes: SimulatedProcess[] = []
  const alive = () => processes.filter(({ actor }) => !actor.isDead)
  function start() {
    processes = alive()
    if (processes.length < size) processes.push(startProcess(setting, `p${++started}`))
  }
  function kill({ actor }: SimulatedProcess) {
    scheduler.kill(actor)
    scheduler.addIn(random.below(10_000), supervisor, 'starts a process', start)
  }
  /** Ends by itself, or is killed if that takes too long. */
  function stop(one: SimulatedProcess) {
    if (one.isLeaving || !one.services) return
    void one.stop().then(() => one.actor.isDead || kill(one))
    scheduler.addIn(30_000, supervisor, 'kills a process', () => one.actor.isDead || kill(one))
  }
  // One that could not start has ended by itself.
  const look = () => {
    if (alive().length < size) start()
    scheduler.addIn(25_000, supervisor, 'looks after the processes', look)
  }
  for (let i = 0; i < size; i++) start()
  scheduler.addIn(25_000, supervisor, 'looks after the processes', look)
  return { alive, kill, stop }
}

function misfortunes(
  { network, isShared }: Setting,
  { kill, stop }: ReturnType<typeof keepAlive>,
): Record<string, (one: SimulatedProcess) => void> {
  const { scheduler } = network
  const { random } = scheduler
  return {
    kill,
    stop,
    'hold up': ({ actor }) => {
      // Most often for longer than its lease.
      const leastMs = random.chance(0.3) ? 0 : leaseMs
      actor.heldUpUntilMs = scheduler.nowMs() + leastMs + random.below(leaseMs)
    },
    'clock of': ({ actor }) => {
      actor.clockOffsetMs += (random.chance(0.5) ? 1 : -1) * random.below(3_600_000)
    },
    'no database near': () => {
      network.outageUntilMs = scheduler.nowMs() + random.below(isShared ? 30_000 : 3_000)
    },
  }
}
