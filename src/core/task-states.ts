// How a task ended. Fields are named after their columns.
import type { NodeError } from './run-facts.ts'

export type TaskEnd<Media> =
  | { status: 'COMPLETED'; completed_at: number; media: readonly Media[]; error: null }
  | { status: 'FAILED'; completed_at: number; media: null; error: NodeError }
  /** Nothing had been sent to a provider. */
  | { status: 'CANCELLED'; completed_at: number; media: null; error: null }
