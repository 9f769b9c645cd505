import type { Clock } from '#core/clock.ts'
import type { GenerateText, Spender } from '#core/generation.ts'
import type { NodeProgress } from '#core/run-nodes.ts'
import type { EndedStep, Step } from '#core/step-states.ts'
import type { Evaluator } from '#expressions/evaluator.ts'
import type { SchemaChecker } from '#expressions/schema-checker.ts'
import type { PayloadStore } from '#media/payload-store.ts'
import type { Media } from '#nodes/node-type.ts'
import type { Gateway } from '#outbound/gateway.ts'
import type { Catalogue } from '#providers/catalogue.ts'
import type { Db, Tx } from '#store/db.ts'
import type { Claim } from '#store/tables/claims.ts'
import type { MediaRecord } from '#store/tables/media.ts'
import type { ClaimedRun } from '#store/tables/run-work.ts'
import type { Steps } from '#store/tables/steps.ts'
import type { EndedTask } from '#store/tables/tasks.ts'
import type { ProviderKeys } from '../provider-keys.ts'
import type { TaskOrder } from '../submit-task.ts'
import type { UseCredential } from './credentials.ts'
import type { Halt } from './run-halt.ts'
import type { RunJournal } from './run-journal.ts'
import type { HeldValues, RunMemory } from './run-memory.ts'
import type { CompiledRun } from './run-plan.ts'

/** What executing runs needs from the rest of the server. */
export type RunDeps = {
  db: Db
  steps: Steps
  clock: Clock
  catalogue: Catalogue
  generateText: GenerateText
  /** Prepares a task; what it returns stores the task in a transaction of ours. */
  orderTask(order: TaskOrder): Promise<{ store(tx: Tx): Promise<{ id: string }> }>
  /** Resolves when the task has ended. */
  taskEnded(taskId: string): Promise<EndedTask>
  gateway: Gateway
  useCredential: UseCredential
  /** Of an account's provider key. */
  credentialIdOf: ProviderKeys['idOf']
  evaluate: Evaluator['evaluate']
  checkSchemas: SchemaChecker['checkSchemas']
  importMedia(
    accountId: string,
    url: string,
    options: { kind: 'image' | 'video'; signal: AbortSignal },
  ): Promise<Media>
  mediaUrls(media: readonly MediaRecord[]): Media[]
  payloads: PayloadStore
  memory: RunMemory
  /** The process stops: what waits is released, nothing new is called. */
  stopping: AbortSignal
  /** The process ends: calls that nobody awaits any more are cut. */
  leaving: AbortSignal
  /** Chance, for jitter: 0 ≤ x < 1. */
  random(): number
  onError(error: unknown, runId: string): void
  onStepEnded?(step: EndedStep): void
}

/** One run in the hands of one worker. */
export type RunWork = {
  row: ClaimedRun
  claim: Claim
  compiled: CompiledRun
  spender: Spender
  inputs: Record<string, unknown>
  held: HeldValues
  /** Calls recorded before, by path. */
  steps: Map<string, Step>
  /** Null: read only, nothing is called and nothing written. */
  journal: RunJournal | null
  halt: Halt
  nodes: NodeProgress[]
  /** Spent, and held back for calls under way. */
  money: { spentMicros: number; heldMicros: number }
  /** Tasks that are being stored: a run that stops must know whether they were. */
  orders: Set<Promise<unknown>>
  /** Calls of any kind that the run has begun, here and before. */
  callCount: number
  /** Calls that may cost something, have left, and whose outcome is not known yet. */
  callsOut: number
  /** Something was paid, or may have been. */
  isPaid: boolean
  /** The result written last: what is stored elsewhere must not be ahead of it. */
  stored: Promise<unknown>
  isChanged: boolean
  /** Its progress is on the way to the store. */
  isBeingShown: boolean
}
