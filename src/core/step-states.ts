// The states of a step: one call of a run to the outside. Fields are named after their columns.
import type { NodeError } from './run-facts.ts'

export type StepKind = 'TEXT' | 'MEDIA' | 'HTTP' | 'IMPORT' | 'WAIT'

type Call = {
  run_id: string
  /** Node, item, called workflow, number of the call. */
  path: string
  kind: StepKind
  attempts: number
  started_at: number
  task_id: string | null
}

/** The call may have left this machine. */
export type BegunStep = Call & {
  status: 'STARTED'
  ended_at: null
  result: null
  error: null
  cost_micros: null
  /** The key of its answer, of calls that may be answered after their run has ended. */
  reuse?: string | null
}

export type DoneStep = Call & {
  status: 'DONE'
  ended_at: number
  /**
   * JSON, or a reference to it that the payload store resolves. Null in lists of steps that leave
   * out long results; those are then read one by one.
   */
  result: string | null
  error: null
  cost_micros: number | null
  /** The key of its answer, or JSON: the call whose answer it is (`core/reused-call.ts`). */
  reuse?: string | null
}

export type FailedStep = Call & {
  status: 'FAILED'
  ended_at: number
  result: null
  error: NodeError
  cost_micros: null
}

export type EndedStep = DoneStep | FailedStep
export type Step = BegunStep | EndedStep
