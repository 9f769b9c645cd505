// A run from submission to webhook. Everything that matters is in the store: if the process is
// killed at any point, another worker continues, and finished calls are not repeated.
//
//   api/public/runs ─ SubmitRun ──▶ submit-run    batches of submissions, one commit      202
//                                        │ QUEUED, notify 'runs'
//                                        ▼
//                                    claim-loop    fair between accounts, within slots
//                                        │ RUNNING, owner and epoch
//                                        ▼
//                                    run-claimed   plan, and the steps of an earlier worker
//                                        │
//                                        ▼
//                                    execute-run   pure nodes are computed; a call outside is a
//                                        │         step begun, the call, a step ended
//                                        │         (run-journal: one commit per batch)
//                                        ▼
//                                    one commit    status, outputs, nodes, cost, the delivery
//                                        │ notify 'deliveries'
//                                        ▼
//                                    engine/deliveries/delivery-worker   signs, sends, records
import type { TimedClock } from '#core/clock.ts'
import { Stopping } from '#core/interruptions.ts'
import { PassingMap } from '#core/passing-map.ts'
import {
  accountOfQueue,
  type ClaimedRun,
  type FinishedRun,
  firstClaimed,
  type HeldRunSlots,
  type HoldRunSlots,
  isDueQueue,
  type NewRun,
  type Runs,
} from '#store/engine-store.ts'
import { createTaskWaits, type TaskWaits } from '../tasks/task-waits.ts'
import { ClaimLoop } from '../work/claim-loop.ts'
import type { Lease, LeaseKeeper } from '../work/lease-keeper.ts'
import { createSlots, perAccount } from '../work/slots.ts'
import { createResumptions } from './resumptions.ts'
import { runClaimed } from './run-claimed.ts'
import type { RunDeps, RunWork, WorkingRuns } from './run-deps.ts'
import { createRunJournal, type RunJournal } from './run-journal.ts'
import { createPastReader } from './run-past.ts'
import type { PlanCache } from './run-plan.ts'
import { createRunWatch, type RunWatch, tickMs } from './run-watch.ts'
import { createWaitWatch, type WaitWatch } from './wait-watch.ts'

export type RunWorkerOptions = {
  clock: TimedClock
  keeper: LeaseKeeper
  deps: Omit<RunDeps, 'clock' | 'stopping' | 'leaving' | 'taskEnded' | 'onError'> & {
    cancelTasks(runId: string): Promise<void>
  }
  plans: PlanCache
  /** Runs at once in this process, over all accounts. */
  capacity: number
  activePerAccount: number
  runTimeoutMs: number
  /** How long a stop waits for calls that were sent and whose answers must be recorded. */
  stopGraceMs: number
  onError(error: unknown, runId?: string): void
  onEnded?(run: FinishedRun): void
  onQuarantined?(kind: 'run'): void
}

export type RunWorker = {
  /** Resolves once runs that an earlier process left are claimed, as far as there are slots. */
  start(): Promise<void>
  wake(): void
  holdSlots: HoldRunSlots
  stop(): Promise<void>
}

const queuesPerRound = 100
/**
 * How many sleepers begin within a time, over all accounts. Alone, 1,330 and 1,750 a second; some
 * 1,100 and 1,250 are reached beside other work. On SQLite they begin in small groups, because each
 * keeps the event loop; on PostgreSQL in larger ones, because commits cost more than runs there.
 */
const wakingOn = ({ keepsOrder }: Runs) =>
  keepsOrder ? { key: 'waking', max: 4, forMs: 3 } : { key: 'waking', max: 14, forMs: 8 }

export function createRunWorker(options: RunWorkerOptions): RunWorker {
  const { clock, keeper, plans, onError, stopGraceMs } = options
  const { runs, tasks } = options.deps
  const { onEnded = () => {}, onQuarantined = () => {} } = options
  const working: WorkingRuns = new PassingMap()
  const waits = createTaskWaits(tasks, clock, onError)
  const watch = createRunWatch({ ...options, ...options.deps }, working)
  const times = () => {
    const nowMs = clock.nowMs()
    return [nowMs, nowMs + options.runTimeoutMs] as const
  }
  const claims = runs.claims(times)
  const waking = wakingOn(runs)
  const loop: ClaimLoop<ClaimedRun> = new ClaimLoop({
    ...{ keeper, clock, queuesPerRound, stopGraceMs, onError: (error) => onError(error) },
    store: claims,
    slots: createSlots({
      inProcess: options.capacity,
      of: (queue) => perAccount(options.activePerAccount)(accountOfQueue(queue)),
      beginning: (queue) => (isDueQueue(queue) ? waking : undefined),
    }),
    prepare: watch.claimStopped,
    carryOut: (row, lease) => runClaimed({ ...scope, journal: journalOf(lease), lease }, row),
  })
  const { stopping, leaving } = loop
  const deps = { ...options.deps, clock, stopping, leaving, taskEnded: waits.ended, onError }
  const claimDue = async () => {
    if (await claims.lookForDue()) void loop.wake()
  }
  const resumptions = createResumptions(deps.memory, clock)
  const waitWatch = createWaitWatch({ ...deps, claimDue }, working)
  const readPast = createPastReader(deps)
  const scope = { deps, plans, working, resumptions, readPast, onEnded, onQuarantined }
  const journalOf = journalPerLease(options, working, leaving)
  stopping.addEventListener('abort', waits.close)
  leaving.addEventListener('abort', () => haltAll(working.values(), new Stopping()))
  let disconnect = async () => {}
  return {
    wake: () => void loop.wake(),
    holdSlots: (accountId, wanted) => holdRunSlots(loop, accountId, wanted, times),
    async start() {
      disconnect = await connect(options, { waits, watch, waitWatch, onError })
      await loop.start()
    },
    async stop() {
      await Promise.all([loop.stop(), disconnect()])
    },
  }
}

function holdRunSlots(
  loop: ClaimLoop<ClaimedRun>,
  accountId: string,
  wanted: number,
  times: () => readonly [nowMs: number, deadlineMs: number],
): HeldRunSlots | null {
  const held = loop.holdSlots(accountId, wanted)
  if (!held) return null
  const [started_at, deadline_at] = times()
  const claim = { owner: held.lease.workerId, started_at, deadline_at }
  const { count, cancel } = held
  const begin = (runs: readonly NewRun[]) => held.begin(runs.map((run) => firstClaimed(run, claim)))
  return { count, claim, begin, cancel }
}

type Watches = { waits: TaskWaits; watch: RunWatch; waitWatch: WaitWatch }

/** Subscribes to notifications of the store and starts the timer. */
async function connect(
  { clock, deps: { runs, tasks, waits: stored } }: RunWorkerOptions,
  { waits, watch, waitWatch, onError }: Watches & { onError(error: unknown): void },
): Promise<() => Promise<void>> {
  const unlisten = await Promise.all([
    runs.onCancelRequested(() => void watch.stopCancelled().catch(onError)),
    tasks.onEnded(waits.look),
    stored.onClosed(waitWatch.look),
  ])
  const stopTicking = clock.every(tickMs, () => {
    waits.look()
    watch.tick()
    waitWatch.tick()
  })
  return async () => {
    stopTicking()
    waitWatch.close()
    await Promise.all(unlisten.map((off) => off()))
  }
}

/** When a lease is lost, its runs are stopped; the next lease gets a new journal. */
function journalPerLease(
  { clock, deps: { runs } }: RunWorkerOptions,
  working: WorkingRuns,
  leaving: AbortSignal,
): (lease: Lease) => RunJournal {
  let current: { lease: Lease; journal: RunJournal } | undefined
  return (lease) => {
    if (current?.lease === lease) return current.journal
    const { workerId, lost } = lease
    const until = AbortSignal.any([lost, leaving])
    const journal = createRunJournal({ runs, clock, workerId, until })
    current = { lease, journal }
    lost.addEventListener('abort', () => {
      const ours = [...working.values()].filter(({ claim }) => claim.owner === workerId)
      haltAll(ours, lost.reason)
    })
    return journal
  }
}

function haltAll(works: Iterable<RunWork>, reason: Error) {
  for (const { halt } of works) halt.stop(reason)
}
