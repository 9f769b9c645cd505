import type { PricedUnits } from './pricing.ts'

/** One call to a provider that has ended, for those who count. */
export type SettledCall = {
  provider: string
  model: string
  operation: 'chat' | 'embedding' | 'speech' | 'transcription' | 'image' | 'video'
  outcome: 'SUCCEEDED' | 'FAILED' | 'REJECTED' | 'UNKNOWN'
  units: PricedUnits
  costMicros: number | null
  elapsedMs: number
  /** What it was made for; all null for a call that its caller waits for. */
  runId: string | null
  nodeId: string | null
  taskId: string | null
} & CallFacts

/** What an answer says of itself: for observers, and not stored. */
export type CallFacts = {
  /** Why the model stopped. */
  finish?: string | undefined
  /** The model that answered, in the words of the provider. */
  answeredBy?: string | undefined
}
