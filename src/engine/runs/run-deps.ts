import type { Catalogue } from '#core/catalogue.ts'
import type { TimedClock } from '#core/clock.ts'
import type { DelayedCall } from '#core/delayed-call.ts'
import type { GenerateText, Spender } from '#core/generation.ts'
import type { PassingMap } from '#core/passing-map.ts'
import type { RunSpender } from '#core/run-facts.ts'
import type { NodeProgress } from '#core/run-nodes.ts'
import type { DoneStep, EndedStep, Step } from '#core/step-states.ts'
import type { WaitKind } from '#core/wait-facts.ts'
import type { Evaluator } from '#graph/expressions/evaluator.ts'
import type { SchemaChecker } from '#graph/expressions/schema-checker.ts'
import type { Media } from '#graph/node/node-type.ts'
import type { WaitEnd } from '#graph/node/wait-request.ts'
import type { PayloadStore } from '#media/payload-store.ts'
import type { Gateway } from '#outbound/gateway.ts'
import type {
  Claim,
  ClaimedRun,
  Economy,
  EndedTask,
  EngineStore,
  MediaRecord,
} from '#store/engine-store.ts'
import type { FlexUntil, PrepareCall } from '../batches/prepare-call.ts'
import type { ProviderKeys } from '../calls/provider-keys.ts'
import type { SpendQueue } from '../calls/spend-queue.ts'
import type { OrderedTask, TaskOrder } from '../tasks/submit-task.ts'
import type { Activity } from './activity.ts'
import type { CallNumbers } from './call-numbers.ts'
import type { CallsUnderWay } from './calls-under-way.ts'
import type { KeptValues } from './kept-values.ts'
import type { ReuseDeps } from './reuse-key.ts'
import type { Halt } from './run-halt.ts'
import type { RunJournal } from './run-journal.ts'
import type { HeldValues, RunMemory } from './run-memory.ts'
import type { RunMoney } from './run-money.ts'
import type { CompiledRun } from './run-plan.ts'
import type { RunWaits } from './run-waits.ts'
import type { UseCredential } from './use-credential.ts'

/** What executing runs needs from the rest of the server. */
export type RunDeps = Pick<EngineStore, 'runs' | 'steps' | 'waits' | 'tasks' | 'ledger'> & {
  clock: TimedClock
  catalogue: Catalogue
  generateText: GenerateText
  /** Prepares a task, to be stored with its step. */
  orderTask(order: TaskOrder): Promise<OrderedTask>
  /** Stores what needs room under a spend limit, once there is room. */
  admit: SpendQueue['admit']
  /** Resolves when the task has ended, or rejects when the signal aborts. */
  taskEnded(taskId: string, signal?: AbortSignal): Promise<EndedTask>
  gateway: Gateway
  useCredential: UseCredential
  /** Looks up the id of an account's provider key. */
  credentialIdOf: ProviderKeys['idOf']
  evaluate: Evaluator['evaluate']
  checkSchemas: SchemaChecker['checkSchemas']
  importMedia(
    accountId: string,
    url: string,
    options: { kind: 'image' | 'video'; signal: AbortSignal },
  ): Promise<Media>
  mediaUrls(media: readonly MediaRecord[]): Media[]
  /** Gives media inside a value addresses that are valid from now on. */
  refreshMedia(accountId: string, value: unknown): Promise<unknown>
  /** Names media inside a value by their content, to compare it with another. */
  nameMedia(accountId: string, value: unknown): Promise<unknown>
  /** The limits and prices that apply now, or did seconds ago, to whoever started a run. */
  spenderNow(accountId: string, before: RunSpender): Promise<RunSpender>
  /** Where the answer to a wait may be sent; whoever has the address may answer. */
  callbackUrl(waitId: string): string
  payloads: PayloadStore
  /** Without it, answers are neither reused nor kept for that. */
  reuse?: ReuseDeps
  /** Without it, no run can have been submitted with a deadline. */
  economy?: {
    prepare: PrepareCall
    flexUntil: FlexUntil
    note: Economy['note']
    /** Between two tries of a call whose vendor's flex tier is full. */
    pauseMs: number
  }
  /** After this time the payloads and media of an unfinished run are renewed, to be kept longer. */
  renewAfterMs: number
  /** How long a call may be delayed in all, asleep or not. */
  delayedAtMostMs: number
  memory: RunMemory
  /** Aborts when the process stops: waiting work is released and no new calls are made. */
  stopping: AbortSignal
  /** Aborts when the process ends: calls that nobody awaits any more are cut off. */
  leaving: AbortSignal
  /** Random number for jitter: 0 ≤ x < 1. */
  random(): number
  onError(error: unknown, runId: string): void
  onStepEnded?(step: EndedStep): void
  /** A run goes on behind a wait. */
  onWaitEnded?(kind: WaitKind, outcome: WaitEnd['status']): void
}

/** Those that this process executes, by their ids. */
export type WorkingRuns = PassingMap<string, RunWork>

/** One run while a worker executes it. */
export type RunWork = {
  row: ClaimedRun
  claim: Claim
  compiled: CompiledRun
  /** Replaced as limits and prices change (run-spender.ts). */
  spender: Spender
  spenderReadAtMs: number
  inputs: Record<string, unknown>
  held: HeldValues
  /** Calls that were recorded before this execution, by path. */
  steps: Map<string, Step>
  /** Null if the run is only read: no calls are made and nothing is written. */
  journal: RunJournal | null
  halt: Halt
  nodes: NodeProgress[]
  /** The same when it fell asleep, or as last shown by a worker that died; empty if it is new. */
  before: readonly NodeProgress[]
  money: RunMoney
  /** Calls of this execution, from the decision to make them until their outcome is stored. */
  calls: CallsUnderWay
  activity: Activity
  waits: () => RunWaits
  /** Some wait was opened, here or before. */
  hasWaits: boolean
  values: KeptValues
  /** Calls that were delayed before this execution, by path. */
  delayed: ReadonlyMap<string, DelayedCall>
  /** Tasks that are being stored: a run that stops must know whether they were. */
  orders: Set<Promise<unknown>>
  /** Calls of any kind that the run has begun, here and before. */
  callCount: number
  /** Calls that may cost something, were sent, and whose outcome is not known yet. */
  callsOut: number
  /** Something was paid, or may have been. */
  isPaid: boolean
  /** The latest write of a result; writes outside the journal must wait for it. */
  stored: Promise<unknown>
  /** Why a result was not stored: no end is stored after that, however much later it is known. */
  lost: Error | undefined
  /** Paths of nodes and items that failed over an answer they had got. */
  spoiled: string[]
  numbers: () => CallNumbers
  /** Of the run that this one retries; read with the first call that is not recorded. */
  retried: () => Promise<ReadonlyMap<string, DoneStep>>
  isChanged: boolean
  /** Its progress is being stored. */
  isBeingShown: boolean
}
