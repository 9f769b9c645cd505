// The contract of every provider adapter: translate one call, once. Adapters never retry, never
// sleep and never touch the store; retrying, polling and money belong to the engine.
import type { Speech, SpeechPiece, Transcription, TranscriptPiece } from '#core/audio.ts'
import type { EmbeddingInput } from '#core/embedding.ts'
import type { LaneLimits } from '#core/lane.ts'
import type { MediaOptions } from '#core/media-options.ts'
import type { PricedUnits } from '#core/pricing.ts'
import type { RouteAttempt } from '#core/route.ts'
import type { StopSignal } from '#core/stop.ts'
import type {
  Alternative,
  AnswerForm,
  CacheLifetime,
  Hosted,
  Logprob,
  OtherEnds,
  ProviderEnd,
  Sampling,
  TextOptions,
  TextPiece,
  Thought,
  ToolCall,
  ToolUse,
} from '#core/text-stream.ts'
import type { Usage } from '#core/usage.ts'
import type { BatchesOf, ResultOf } from './batch-contract.ts'

/** Stored verbatim before the first poll: all that is needed to find the job again. */
export type JobRef = { v: 1; provider: string; id: string; urls?: Record<string, string> }

/** `cache`: for providers that cache on request, the request up to here is to be kept. */
export type ContentPart = {
  cache?: CacheLifetime
} /** `hosted`: what a hosted tool left in the conversation; its vendor gets that, others the text. */ & (
  | { type: 'text'; text: string; hosted?: Hosted }
  | { type: 'image'; media: MediaInput }
  | { type: 'document'; media: MediaInput; name?: string }
)

export type Content = string | readonly ContentPart[]

export type TextMessage = {
  role: 'system' | 'user' | 'assistant'
  content: Content
  /** What led an assistant to its answer, for the vendor that made it. */
  thoughts?: Thought[]
  /** The functions that an assistant called; their results follow as messages. */
  toolCalls?: ToolCall[]
}

export type ToolResult = {
  role: 'tool'
  toolCallId: string
  content: Content
  isError?: boolean
}

export type Message = TextMessage | ToolResult

/** A picture or document: bytes already fetched through the outbound gateway. */
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

export type TextResult = ProviderEnd & {
  text: string
  thoughts?: Thought[]
  /** If a hosted tool was used: all of the answer, in the form of its vendor. */
  hosted?: Hosted[]
  /** Present if the model wants functions to be called. */
  toolCalls?: ToolCall[]
  logprobs?: Logprob[]
  /** If several answers were requested: all but the first. */
  alternatives?: Alternative[]
  /** Null if the provider does not report it. */
  usage: Usage | null
  requestId: string | null
  /** The model, if the answer names it: often a dated version of the requested one. */
  answeredBy?: string
  /** The tier that is billed, if the vendor says so. */
  tier?: AnswerForm['tier']
}

export type TextDelta =
  /** Always first: the provider has accepted the call. */
  | { type: 'open'; requestId: string | null }
  | TextPiece
  /** The provider is at work, but nothing of the answer has arrived. */
  | { type: 'working' }
  /** The usage as known so far; a later one replaces it. */
  | { type: 'usage'; usage: Usage }
  /** Always last, and only if the provider itself ended the answer. */
  | ({ type: 'end' } & ProviderEnd & Pick<TextResult, 'answeredBy'> & OtherEnds)

export type EmbedRequest = { model: string; inputs: EmbeddingInput[]; dimensions?: number }

export type EmbedResult = {
  /** One per input, in the order of the inputs. */
  vectors: Float32Array[]
  /** Null if not reported. */
  usage: Usage | null
}

/** What a call used, if the provider reports it; the last report counts. */
export type UsedPiece = { type: 'used'; units: PricedUnits }

export type SpeakRequest = Speech & {
  model: string
  /** Requests events, for a model that reports its usage only in them. */
  inEvents: boolean
}

/** `pieces` end only if the provider itself ended the answer; if it breaks off, they throw. */
export type Spoken = {
  /** Present if the provider declares what it sends. */
  mimeType?: string
  pieces: AsyncGenerator<SpeechPiece | UsedPiece, void, undefined>
}

export type TranscribeRequest = Transcription & { model: string; isStreamed: boolean }

export type Transcribed = { pieces: AsyncGenerator<TranscriptPiece | UsedPiece, void, undefined> }

type WantedMedia = {
  model: string
  prompt: string
  image?: MediaInput
  aspectRatio?: string
  options?: MediaOptions
}

export type ImageRequest = WantedMedia & {
  kind: 'IMAGE'
  /** Further pictures, for models that take several. */
  references?: MediaInput[]
  /** A PNG of the size of `image`, transparent where that may be changed. */
  mask?: MediaInput
  quality?: string
  sampleSize?: string
}

export type VideoRequest = WantedMedia & {
  kind: 'VIDEO'
  seconds?: number
  resolution?: string
  generateAudio?: boolean
}

export type MediaRequest = ImageRequest | VideoRequest

/** A result: its bytes, or an address to download at once. */
export type Output =
  | { bytes: Uint8Array; mimeType?: string }
  | {
      url: string
      /** Sent to the origin of the address and to redirect targets that `mayHaveHeaders` allows. */
      headers?: Record<string, string>
      /** Judges the target of a redirect; if absent, only the address's own origin is allowed. */
      mayHaveHeaders?(redirectedTo: URL): boolean
      mimeType?: string
    }

/** What the provider reports as billed, if anything. */
export type Billed = { usage?: Usage; units?: number; costMicros?: number }

/** `state`: what the answer to the submission already says about the job. */
export type Submitted = { ref: JobRef; state?: PollState } | { done: Output[]; billed?: Billed }

export type PollState =
  | { state: 'queued' | 'running'; progress?: number; nextMs: number }
  | { state: 'succeeded'; outputs: Output[]; billed?: Billed }
  | { state: 'failed' | 'canceled'; error: ProviderError }

export type CallOptions = { signal: StopSignal }

/** What the engine still knows about a submission whose answer was lost. */
export type LostSubmission = { request: MediaRequest; submittedAtMs: number; taskId: string }

/** One of several keys of a provider, perhaps with an address and names of models of its own. */
export type Deployment = {
  name: string
  provider: Provider
  /** Its share of the conversations. */
  weight: number
  /** The models it has, and what they are called there. Null: all of them, under their names. */
  models: ReadonlyMap<string, string> | null
}

export type Provider = {
  readonly name: string
  /** If the operator named several keys: whoever makes a call chooses one of them. */
  readonly deployments?: readonly Deployment[]
  /** What the vendor said lately that its key may do with the model, if that is nearly used up. */
  learnt?(model: string): LaneLimits | undefined
  generateText?(request: TextRequest, options: CallOptions): Promise<TextResult>
  /**
   * The same call, with its answer piece by piece. A failure before `open` is reported as by
   * `generateText`; after `open` every failure leaves the outcome unknown. A slow reader slows the
   * provider down; a reader that stops ends the call.
   */
  streamText?(request: TextRequest, options: CallOptions): AsyncIterable<TextDelta>
  embed?(request: EmbedRequest, options: CallOptions): Promise<EmbedResult>
  /** Resolves once the provider has accepted; any later failure leaves the outcome unknown. */
  speak?(request: SpeakRequest, options: CallOptions): Promise<Spoken>
  transcribe?(request: TranscribeRequest, options: CallOptions): Promise<Transcribed>
  /** The adapter marks the submission with `taskId` where it can, so that `find` can work. */
  submit?(request: MediaRequest, options: CallOptions & { taskId: string }): Promise<Submitted>
  poll?(ref: JobRef, options: CallOptions): Promise<PollState>
  cancel?(
    ref: JobRef,
    options: CallOptions,
  ): Promise<'canceled' | 'requested' | 'too_late' | 'unsupported'>
  /** Looks for a job whose submission answer was lost. `null`: certainly not accepted. */
  find?(lost: LostSubmission, options: CallOptions): Promise<JobRef | null | 'unknown'>
  /** Text calls that are answered within a day, for less. */
  batches?: Batches
  close?(): Promise<void>
}

export type Batches = BatchesOf<TextRequest, TextResult, ProviderError>
export type BatchResult = ResultOf<TextResult, ProviderError>

export type ProviderErrorKind =
  | 'busy' // rate limited or overloaded
  | 'unreachable' // DNS, refused, connect time-out
  | 'timeout'
  | 'auth' // our key is missing, wrong or without permission
  | 'invalid' // the provider considers the request invalid, or its API cannot express it
  | 'content' // refused by a content policy
  | 'server' // 5xx or a cut connection
  | 'protocol' // an answer that is not what the provider documents
  | 'canceled'
  | 'not_found'

const contextOverflow =
  /context[ _](length|window|limit|size)|(prompt|input) is too long|input token count .{0,40}exceeds/i

/**
 * outcome: `not_sent` the request never left; `rejected` the provider certainly did not accept it,
 * or ended it without a result; `unknown` it may have been accepted and billed.
 */
export class ProviderError extends Error {
  readonly kind: ProviderErrorKind
  readonly outcome: 'not_sent' | 'rejected' | 'unknown'
  readonly retryAfterMs: number | undefined
  readonly status: number | undefined
  /** What the failed call used nevertheless, if the provider reports it. */
  readonly billed: Billed | undefined
  /** The provider says that the call failed, which it does not bill if nothing of an answer was
   * sent. It is not repeated all the same while the outcome is unknown. */
  readonly isFree: boolean
  /** For a request that we refused to send: the parameter, as OpenAI's API names it. */
  readonly param: string | undefined
  /** Of a call over a route: the models it was offered to. */
  attempts?: readonly RouteAttempt[]

  /** The vendors' messages differ, but all of them name the context or the prompt. */
  get isContextOverflow(): boolean {
    return this.kind === 'invalid' && contextOverflow.test(this.message)
  }

  constructor(
    kind: ProviderErrorKind,
    options: {
      outcome: 'not_sent' | 'rejected' | 'unknown'
      message: string
      retryAfterMs?: number
      status?: number
      billed?: Billed
      isFree?: boolean
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
    this.isFree = options.isFree ?? false
    this.param = options.param
  }
}

/** How to reach a provider as the operator configured it, with any key. */
export type ProviderAccess = { baseUrl: string; open(key: string): Promise<Provider> }
