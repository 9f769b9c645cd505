// One call of a run to the outside, by how far it came. Records carry the names of their columns.
import type { NodeError } from './run-facts.ts'

export type StepKind = 'TEXT' | 'MEDIA' | 'HTTP' | 'IMPORT'

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
}

export type DoneStep = Call & {
  status: 'DONE'
  ended_at: number
  /**
   * JSON, or a reference to it: read through the payload store. Null in a list of steps that leaves
   * a long one out; it is then read by itself.
   */
  result: string | null
  error: null
  cost_micros: number | null
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
