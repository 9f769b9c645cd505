// The types of an embedding call: the request side, the work side and the adapters share them.
import type { Spender } from './generation.ts'
import type { StopSignal } from './stop.ts'

/** Text, or the tokens of a text as the vendor's own tokenizer numbers them. */
export type EmbeddingInput = string | number[]

export type EmbeddingCall = {
  principal: Spender
  modelId: string
  inputs: EmbeddingInput[]
  dimensions?: number
}

export type Embeddings = {
  /** The id of the attempt in the ledger. */
  id: string
  modelId: string
  /** One for each input, in the same order. */
  vectors: Float32Array[]
  inputTokens: number
  costMicros: number | null
}

/** Rejects with a Failure. */
export type EmbedTexts = (
  call: EmbeddingCall,
  options: { signal: StopSignal },
) => Promise<Embeddings>
