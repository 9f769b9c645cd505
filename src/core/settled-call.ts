import type { PricedUnits } from './pricing.ts'
import type { Via } from './route.ts'

/** One ended call to a provider, as metrics and traces see it. */
export type SettledCall = {
  provider: string
  model: string
  operation: 'chat' | 'embedding' | 'speech' | 'transcription' | 'image' | 'video'
  outcome: 'SUCCEEDED' | 'FAILED' | 'REJECTED' | 'UNKNOWN'
  units: PricedUnits
  costMicros: number | null
  elapsedMs: number
  /** What the call was made for; all null if a caller is waiting for its answer. */
  runId: string | null
  nodeId: string | null
  taskId: string | null
  /** The server's key, the route, and which attempt of its call it is. */
  via?: Via | undefined
} & CallFacts

/** What an answer says about itself. It is reported to observers but not stored. */
export type CallFacts = {
  /** Why the model stopped. */
  finish?: string | undefined
  /** The model that answered, as the provider names it. */
  answeredBy?: string | undefined
}
