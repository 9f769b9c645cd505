// The types of the calls that the request side makes to the work side.
import type { RawParts } from './chat-content.ts'
import type { CallDelay } from './delayed-call.ts'
import type { MediaOptions } from './media-options.ts'
import type { StandIns } from './pricing.ts'
import type { Principal } from './principal.ts'
import type { Route, RouteAttempt } from './route.ts'
import type { StopSignal } from './stop.ts'
import type {
  Alternative,
  AnswerForm,
  EndCause,
  Hosted,
  Logprob,
  OtherEnds,
  Sampling,
  TextOptions,
  TextPiece,
  Thought,
  ToolCall,
  ToolUse,
} from './text-stream.ts'
import type { Usage } from './usage.ts'

export type Spender = Pick<
  Principal,
  | 'accountId'
  | 'keyId'
  | 'limits'
  | 'accountSpendPerMonthMicros'
  | 'standIns'
  | 'routes'
  | 'spending'
  | 'tag'
  | 'workflowId'
  | 'isBudgeted'
>

/** `content` is any JSON value; a list of `RawParts` is passed on without being read again. */
export type CallMessage =
  | { role: 'system' | 'user'; content?: unknown }
  | { role: 'assistant'; content?: unknown; toolCalls?: ToolCall[]; thoughts?: Thought[] }
  | ToolAnswer

/** The result of a function that the model asked for. */
export type ToolAnswer = {
  role: 'tool'
  toolCallId: string
  content: string | RawParts
  /** The function failed; the content says how. */
  isError?: boolean
}

export type TextCall = ToolUse &
  Sampling &
  TextOptions &
  AnswerForm & {
    principal: Spender
    modelId: string
    messages: CallMessage[]
    systemPrompt?: string | undefined
    temperature?: number | undefined
    maxTokens?: number | undefined
    /** The name of a credential of the account, whose key is used in place of the server's. */
    credential?: string | undefined
    /** The caller enforces its own cost limit, as a run does: the call must stay within bounds. */
    isCostLimited?: boolean
    /** The node of a run that makes the call, and the worker that has claimed the run. */
    origin?: {
      runId: string
      nodeId: string
      workerId: string
      /** Aborts once the run is ending: a call that was not sent by then is not made. */
      ending: AbortSignal
    }
  }

/** The model that answers, when its call began, and the id of the attempt in the ledger. */
type Answering = {
  id: string
  modelId: string
  createdAtMs: number
  /** Of a call over a route: the models it was offered to. */
  attempts?: readonly RouteAttempt[] | undefined
}

/** How an answer ended; known once its attempt is settled. Anything else is a Failure. */
export type AnswerEnd = {
  finish: 'stop' | 'length'
  endCause?: EndCause | undefined
  usage: Usage
  costMicros: number | null
}

export type GeneratedText = Answering &
  AnswerEnd & {
    text: string
    thoughts?: Thought[]
    /** If a hosted tool was used: all of the answer, in the form of its vendor. */
    hosted?: Hosted[]
    toolCalls?: ToolCall[]
    logprobs?: Logprob[]
    /** All answers but the first, if several were requested. */
    alternatives?: Alternative[]
    /** The tier that was asked for and is billed. */
    tier?: 'flex' | undefined
  }

/** Rejects with a Failure; a call of a run that may sleep also with a LongDelay. */
export type GenerateText = (
  call: TextCall,
  options: {
    signal: StopSignal
    /** For a run: how long the call may wait for room under a limit. */
    waitUntil?(): StopSignal
    /** Before another model is asked although one may be paid; rejects if that costs too much. */
    payAgain?(): Promise<void>
    /** For a run that may sleep. */
    waiting?: CallWaiting
  },
) => Promise<GeneratedText>

export type CallWaiting = {
  /** Since when the call is delayed, by the clock; undefined if this is its first try. */
  sinceMs?: number | undefined
  /** It waits for something. Returns what to call when that is over. */
  began(delay: CallDelay): () => void
}

export type StreamEvent =
  /** A provider has accepted the call. No other model is tried after this event. */
  | ({ type: 'begin' } & Answering & {
        /** Our estimate: most providers count only at the end. */
        inputTokens: number
      })
  | TextPiece
  | ({ type: 'end' } & AnswerEnd & OtherEnds)

/**
 * Throws a Failure, either before `begin` or after it. A consumer that stops reading must also
 * abort the signal.
 */
export type StreamText = (
  call: TextCall,
  options: { signal: StopSignal },
) => AsyncGenerator<StreamEvent, void, undefined>

/** What the work side needs to generate the image or video; stored with the task. */
export type TaskRequest = {
  prompt: string
  image?: InputImage
  /** Further pictures, for models that take several. */
  references?: InputImage[]
  /** Transparent where the picture may be changed. */
  mask?: InputImage
  aspectRatio?: string
  quality?: string
  sampleSize?: string
  seconds?: number
  resolution?: string
  generateAudio?: boolean
  options?: MediaOptions
  /** A limit applies to it: a model without a price is not called. */
  isCostLimited?: true
  /** The account's stand-in prices of the models that may serve it. */
  standIns?: StandIns
  /** As it was when the task was accepted, if `model` names one. */
  route?: Route
}

/** An address to fetch when the work starts, or bytes already in the media store. */
export type InputImage = { url: string } | { mediaId: string }

export type TaskSubmission = {
  principal: Spender
  modelId: string
  kind: 'IMAGE' | 'VIDEO'
  request: Omit<TaskRequest, 'image' | 'references' | 'mask'> & {
    imageUrl?: string
    referenceUrls?: readonly string[]
    maskUrl?: string
  }
  /** The names of parameters that the caller gave and no model gets; stored with the task. */
  ignored?: readonly string[]
}

export type SubmittedTask = { id: string; createdAtMs: number }

export type SubmitTask = (submission: TaskSubmission) => Promise<SubmittedTask>

/** All of them or none. */
export type SubmitTasks = (submissions: readonly TaskSubmission[]) => Promise<SubmittedTask[]>
