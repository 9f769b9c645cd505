// The contract every provider adapter keeps: translate one call, once. Adapters never retry,
// never sleep and never touch the store; retrying, polling and money belong to the engine.
import type { Speech, SpeechPiece, Transcription, TranscriptPiece } from '#core/audio.ts'
import type { EmbeddingInput } from '#core/embedding.ts'
import type { PricedUnits } from '#core/pricing.ts'
import type { StopSignal } from '#core/stop.ts'
import type {
  Alternative,
  AnswerForm,
  Logprob,
  OtherEnds,
  Sampling,
  TextOptions,
  TextPiece,
  ToolCall,
  ToolUse,
} from '#core/text-stream.ts'
import type { Usage } from '#core/usage.ts'

/** Stored verbatim before the first poll: all that is needed to find the job again. */
export type JobRef = { v: 1; provider: string; id: string; urls?: Record<string, string> }

export type ContentPart = { type: 'text'; text: string } | { type: 'image'; media: MediaInput }

export type TextMessage = {
  role: 'system' | 'user' | 'assistant'
  content: string | ContentPart[]
  /** Of an assistant: the functions it asked for, answered by the results that follow. */
  toolCalls?: ToolCall[]
}

export type ToolResult = { role: 'tool'; toolCallId: string; content: string }

export type Message = TextMessage | ToolResult

/** A picture handed to a provider: bytes already fetched through the outbound gateway. */
export type MediaInput = { bytes: Uint8Array; mimeType: string }

export type TextRequest = ToolUse &
  Sampling &
  TextOptions &
  AnswerForm & {
    model: string
    messages: Message[]
    systemPrompt?: string
    temperature?: number
    maxTokens?: number
  }

export type TextResult = {
  text: string
  /** Present where the model asks for functions to be called. */
  toolCalls?: ToolCall[]
  logprobs?: Logprob[]
  /** Where several answers were asked for: all but the first. */
  alternatives?: Alternative[]
  /** `malformed`: the provider ended the answer because the model wrote nothing of use. */
  finish: 'stop' | 'length' | 'content_filter' | 'malformed'
  /** Of the last two: the provider's words on why, where it has any. */
  refusal?: string
  /** Null where the provider does not count. */
  usage: Usage | null
  requestId: string | null
  /** Where the answer names it: often a dated version of the one that was asked for. */
  answeredBy?: string
}

export type TextDelta =
  /** First of all: the provider has accepted the call. */
  | { type: 'open'; requestId: string | null }
  | TextPiece
  /** What is known of the usage so far; a later one replaces it. */
  | { type: 'usage'; usage: Usage }
  /** Last of all, and only where the provider itself ended the answer. */
  | ({ type: 'end' } & Pick<TextResult, 'finish' | 'refusal' | 'answeredBy'> & OtherEnds)

export type EmbedRequest = { model: string; inputs: EmbeddingInput[]; dimensions?: number }

export type EmbedResult = {
  /** One for each input, in its order. */
  vectors: Float32Array[]
  /** Null where the provider does not count. */
  usage: Usage | null
}

/** What a call used, where the provider says so; its last word counts. */
export type UsedPiece = { type: 'used'; units: PricedUnits }

export type SpeakRequest = Speech & {
  model: string
  /** Asks for events, where they alone say what was used. */
  inEvents: boolean
}

/** `pieces` end only where the provider itself ended them; after a break they throw. */
export type Spoken = {
  /** Where the provider says what it sends. */
  mimeType?: string
  pieces: AsyncGenerator<SpeechPiece | UsedPiece, void, undefined>
}

export type TranscribeRequest = Transcription & { model: string; isStreamed: boolean }

export type Transcribed = { pieces: AsyncGenerator<TranscriptPiece | UsedPiece, void, undefined> }

export type ImageRequest = {
  kind: 'IMAGE'
  model: string
  prompt: string
  image?: MediaInput
  /** Further pictures, for models that take several. */
  references?: MediaInput[]
  aspectRatio?: string
  quality?: string
  sampleSize?: string
}

export type VideoRequest = {
  kind: 'VIDEO'
  model: string
  prompt: string
  image?: MediaInput
  aspectRatio?: string
  seconds?: number
  resolution?: string
  generateAudio?: boolean
}

export type MediaRequest = ImageRequest | VideoRequest

/** Where the result lies: in hand, or at an address to download at once. */
export type Output =
  | { bytes: Uint8Array; mimeType?: string }
  | {
      url: string
      /** Sent to the origin of the address, and to where `mayHaveHeaders` allows. */
      headers?: Record<string, string>
      /** Of an address that a download is redirected to; without it, its own origin only. */
      mayHaveHeaders?(redirectedTo: URL): boolean
      mimeType?: string
    }

/** What the provider says it billed, where it says so. */
export type Billed = { usage?: Usage; units?: number; costMicros?: number }

/** `state`: what the answer to the submission already says of the job. */
export type Submitted = { ref: JobRef; state?: PollState } | { done: Output[]; billed?: Billed }

export type PollState =
  | { state: 'queued' | 'running'; progress?: number; nextMs: number }
  | { state: 'succeeded'; outputs: Output[]; billed?: Billed }
  | { state: 'failed' | 'canceled'; error: ProviderError }

export type CallOptions = { signal: StopSignal }

/** What the engine still knows of a submission whose answer was lost. */
export type LostSubmission = { request: MediaRequest; submittedAtMs: number; taskId: string }

export type Provider = {
  readonly name: string
  generateText?(request: TextRequest, options: CallOptions): Promise<TextResult>
  /**
   * The same call, its answer piece by piece. A failure before `open` is reported as by
   * `generateText`; after `open` every failure leaves the outcome unknown. Reading slowly slows the
   * provider down; to stop reading ends the call.
   */
  streamText?(request: TextRequest, options: CallOptions): AsyncIterable<TextDelta>
  embed?(request: EmbedRequest, options: CallOptions): Promise<EmbedResult>
  /** Done once the provider has accepted: every later failure leaves the outcome unknown. */
  speak?(request: SpeakRequest, options: CallOptions): Promise<Spoken>
  transcribe?(request: TranscribeRequest, options: CallOptions): Promise<Transcribed>
  /** `taskId` lets a provider that takes a client mark carry ours, so that `find` can work. */
  submit?(request: MediaRequest, options: CallOptions & { taskId: string }): Promise<Submitted>
  poll?(ref: JobRef, options: CallOptions): Promise<PollState>
  cancel?(
    ref: JobRef,
    options: CallOptions,
  ): Promise<'canceled' | 'requested' | 'too_late' | 'unsupported'>
  /** Looks for a job whose submission answer was lost. `null`: surely not accepted. */
  find?(lost: LostSubmission, options: CallOptions): Promise<JobRef | null | 'unknown'>
  close?(): Promise<void>
}

export type ProviderErrorKind =
  | 'busy' // rate limited or overloaded
  | 'unreachable' // DNS, refused, connect time-out
  | 'timeout'
  | 'auth' // our key is missing, wrong or without permission
  | 'invalid' // the provider calls the request wrong
  | 'content' // refused by a content policy
  | 'server' // 5xx or a cut connection
  | 'protocol' // an answer that is not what the provider documents
  | 'canceled'
  | 'not_found'

/**
 * outcome: `not_sent` the request never left; `rejected` the provider surely did not accept it;
 * `unknown` it may have been accepted and billed.
 */
export class ProviderError extends Error {
  readonly kind: ProviderErrorKind
  readonly outcome: 'not_sent' | 'rejected' | 'unknown'
  readonly retryAfterMs: number | undefined
  readonly status: number | undefined
  /** What the call used although it failed, where the provider says so. */
  readonly billed: Billed | undefined
  /** Of a refusal that never left: the parameter, as OpenAI's API names it. */
  readonly param: string | undefined

  constructor(
    kind: ProviderErrorKind,
    options: {
      outcome: 'not_sent' | 'rejected' | 'unknown'
      message: string
      retryAfterMs?: number
      status?: number
      billed?: Billed
      param?: string
      cause?: unknown
    },
  ) {
    super(options.message, { cause: options.cause })
    this.name = 'ProviderError'
    this.kind = kind
    this.outcome = options.outcome
    this.retryAfterMs = options.retryAfterMs
    this.status = options.status
    this.billed = options.billed
    this.param = options.param
  }
}
