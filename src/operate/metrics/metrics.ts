import type { PassedThreshold } from '#core/budget-alert.ts'
import type { BudgetName } from '#core/budgets.ts'
import type { LaneUse } from '#core/lane.ts'
import type { WebhookResult } from '#core/run-webhook.ts'
import type { SettledCall } from '#core/settled-call.ts'
import type { EndedStep } from '#core/step-states.ts'
import type { FiringReason, TriggerKind } from '#core/triggers/trigger.ts'
import type { WaitKind } from '#core/wait-facts.ts'
import type { RequestObserver } from '#http/observe.ts'
import type { Db } from '#store/db.ts'
import type { Readiness } from '../readiness.ts'

/** What a process counts while it serves and works. */
export type Metrics = Pick<RequestObserver, 'began' | 'finished'> & {
  taskEnded(kind: string, status: string): void
  /** A request that is being answered has started this run. */
  runSubmitted(runId: string): void
  runEnded(status: string, elapsedMs: number, runId: string): void
  /** A call was refused by a limit. */
  spendRefused(limit: BudgetName): void
  /** So much of a budget is spent. */
  budgetPassed(passed: PassedThreshold): void
  webhookTried(result: WebhookResult): void
  /** A trigger has started a run, or has not. */
  triggerFired(kind: TriggerKind, outcome: 'STARTED' | 'QUEUED' | 'UNVERIFIED' | FiringReason): void
  /** A run goes on behind a wait. */
  waitEnded(kind: WaitKind, outcome: 'ANSWERED' | 'EXPIRED' | 'PASSED'): void
  /** A vendor's batch was accepted, refused, lost or has ended. */
  batchChanged(provider: string, outcome: 'SUBMITTED' | 'ENDED' | 'REFUSED' | 'LOST'): void
  quarantined(kind: 'run' | 'task'): void
  /** By the vendor with a 429, or because a call waited too long for its lane. */
  providerRefused(model: { provider: string; providerModel: string }, by: 'vendor' | 'lane'): void
  /** Where to read the lanes of this process. */
  watchLanes(uses: () => LaneUse[]): void
  /** One of several keys of a provider is not used for a while. */
  deploymentPaused(provider: string, deployment: string, reason: 'failing' | 'refused'): void
  /** Absent if nobody counts calls, which are then not tracked. */
  callSettled?(call: SettledCall): void
  stepEnded(step: EndedStep): void
  /** Spans that did not reach the trace collector. */
  spansDropped(count: number): void
  close(): Promise<void>
}

/** The events that also become traces. */
type Traced = 'began' | 'finished' | 'runSubmitted' | 'runEnded' | 'stepEnded' | 'callSettled'
export type Tracing = Required<Pick<Metrics, Traced | 'close'>>

/** What is read when somebody asks for the metrics. */
export type MetricSources = {
  db: Db
  readiness: Readiness
  nowMs(): number
}
