// Generated from the registry of operations by scripts/write-client-types.ts; do not edit.
import type { Money } from './shared-records.ts'

export type AcceptedTask = {
  /** Identifier of the task. */
  taskId: string
  kind: 'IMAGE' | 'VIDEO'
  status: TaskStatus
  /** RFC 3339, UTC. */
  createdAt: string
  /** Seconds to wait before the next poll; 0 once the status is terminal. */
  retryAfterSeconds: number
  /** The names of parameters that were given but do not reach the model; absent if none. */
  ignored?: string[]
}

export type ChatRequest = {
  /** Identifier of a TEXT or CODE model from the model list. */
  model: string
  messages: {
    role: 'system' | 'user' | 'assistant'
    /** A string, or parts {type:"text",text} and {type:"image_url",image_url:{url}}; any other JSON value is sent as its JSON text. At most 100 pictures in all messages, each at most 10 MiB and together at most 50 MiB. */
    content: unknown
  }[]
  /** Precedes all messages. */
  systemPrompt?: string
  temperature?: number
  maxTokens?: number
}

export type Completion = {
  id: string
  model: string
  content: string
  finishReason: 'stop' | 'length' | 'content_filter'
  usage: {
    inputTokens: number
    outputTokens: number
    totalTokens: number
  }
  /** Tokens that the provider counted apart; each is included in `usage`. */
  usageDetails?: {
    /** Input read from the cache of the provider. Left out if 0. */
    cachedInputTokens?: number
    /** Input written to that cache. Left out if 0. */
    cacheWriteTokens?: number
    /** Of those, the ones kept for an hour. Left out if 0. */
    cacheWrite1hTokens?: number
    /** Images of the input. Left out if 0. */
    inputImageTokens?: number
    /** Audio of the input. Left out if 0. */
    inputAudioTokens?: number
    /** Images of the input read from the cache. Left out if 0. */
    cachedImageTokens?: number
    /** Audio of the input read from the cache. Left out if 0. */
    cachedAudioTokens?: number
    /** Output that the model used to reason. Left out if 0. */
    reasoningTokens?: number
    /** Images of the output. Left out if 0. */
    outputImageTokens?: number
    /** Audio of the output. Left out if 0. */
    outputAudioTokens?: number
  }
  cost: Money | null
  /** RFC 3339, UTC. */
  createdAt: string
  /** ANSWER_CUT: the answer reached the output limit. Absent if there are none. */
  warnings?: {
    code: string
    message: string
  }[]
  /** Of a call over a route, or to a provider with several keys: whom it was offered to, in order. */
  attempts?: {
    model: string
    outcome:
      | 'answered'
      | 'connect'
      | 'rate_limit'
      | 'unavailable'
      | 'context'
      | 'content'
      | 'timeout'
      | 'failed'
    /** The name of the key, where the operator has several. */
    deployment?: string
  }[]
}

export type CreativeRequest = {
  /** Identifier of an IMAGE or VIDEO model from the model list. */
  model: string
  /** The text of the user messages is the prompt. */
  messages: {
    role: 'system' | 'user' | 'assistant'
    content: unknown
  }[]
  imageAspectRatio?: string
  imageQuality?: string
  imageSampleSize?: string
  /** Which part of the first input image may be changed: the address or data URL of a PNG of its size, transparent there. Only for images, and for models with the capability mask. */
  mask?: string
  videoAspectRatio?: string
  videoSeconds?: number
  videoResolution?: string
  videoGenerateAudio?: boolean
}

export type Media = {
  /** Signed, valid for 24 h; read again for a new one. With `&w=208` or `&w=416` a picture comes as a WebP at most so many pixels wide. */
  url: string
  mimeType: string
  sizeBytes: number
  width?: number
  height?: number
  durationSeconds?: number
  hasAudio?: boolean
}

export type Model = {
  id: string
  name: string
  provider: string
  kind: 'TEXT' | 'CODE' | 'IMAGE' | 'VIDEO'
  description: string
  enabled: boolean
  capabilities: {
    inputModalities: string[]
    /** How many input images one generation accepts; 1 if absent. */
    maxInputImages?: number
    /** True if a mask may say which part of the first input image it changes. */
    mask?: boolean
    maxInputTokens?: number
    maxOutputTokens?: number
    /** Minimum of maxTokens; 1 if absent. */
    minOutputTokens?: number
    /** Input sizes in tokens above which the whole call costs more. */
    contextTiers?: number[]
    temperature?: {
      min: number
      max: number
    }
    topP?: {
      min: number
      max: number
    }
    /** False if the model does not support stop sequences. */
    stopSequences?: boolean
    reasoningEfforts?: string[]
    /** True if the model reads PDFs. */
    documents?: boolean
    /** The vendor searches the web for it, if asked through the compatible API of this name. */
    webSearch?: 'anthropic' | 'openai' | 'gemini'
    structuredOutput?: boolean
    forcedToolChoice?: boolean
    imageAspectRatios?: string[]
    imageQualities?: string[]
    imageSampleSizes?: string[]
    videoAspectRatios?: string[]
    videoResolutions?: string[]
    videoSeconds?: {
      min: number
      max: number
      default: number
      /** The allowed lengths, if not every value in the range is allowed. */
      values?: number[]
    }
    videoAudio?: boolean
    /** Further parameters of a generation that the model gets, such as seed. */
    mediaOptions?: string[]
  }
  pricing: {
    currency: string
    /** Major units, at most 6 decimals. */
    inputPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    cachedInputPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    cacheWritePerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    cacheWrite1hPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    inputImagePerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    inputAudioPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    cachedImagePerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    cachedAudioPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    outputPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    reasoningPerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    outputImagePerMillionTokens?: number
    /** Major units, at most 6 decimals. */
    outputAudioPerMillionTokens?: number
    /** Rates that apply instead if a call has more input than this. */
    longContext?: {
      aboveInputTokens: number
      /** Major units, at most 6 decimals. */
      inputPerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      cachedInputPerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      cacheWritePerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      cacheWrite1hPerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      inputImagePerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      inputAudioPerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      cachedImagePerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      cachedAudioPerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      outputPerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      reasoningPerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      outputImagePerMillionTokens?: number
      /** Major units, at most 6 decimals. */
      outputAudioPerMillionTokens?: number
    }[]
    /** Major units, at most 6 decimals. */
    perImage?: number
    /** Major units, at most 6 decimals. */
    perSecond?: number
    /** Major units, at most 6 decimals. */
    inputAudioPerHour?: number
    /** Major units, at most 6 decimals. */
    inputPerMillionCharacters?: number
    /** Major units, at most 6 decimals. */
    perSearch?: number
    /** The account chose these prices, because those of the vendor are not known. */
    standIn?: true
  } | null
  /** Where the price is from, and the day for which it was stated. */
  priceSource?: {
    source: string
    date: string | null
  }
  demo?: true
  lifecycle?: {
    status: 'retiring' | 'retired'
    /** From this day on (UTC) the vendor answers no calls. */
    shutdownAt?: string
    /** The model to use instead. */
    replacement?: string
  }
  /** It is a route: one of several models answers. */
  route?: true
}

export type ModelList = {
  items: Model[]
  total: number
}

export type Task = {
  /** Identifier of the task. */
  taskId: string
  kind: 'IMAGE' | 'VIDEO'
  status: TaskStatus
  model: string
  promptPreview: string
  source: 'DIRECT' | 'WORKFLOW'
  /** The run that created the task. */
  runId?: string
  nodeId?: string
  /** RFC 3339, UTC. */
  createdAt: string
  startedAt: string | null
  completedAt: string | null
  imageContent?: Media[]
  videoContent?: Media[]
  error: {
    code: string
    message: string
    retryable: boolean
  } | null
  cost: Money | null
  /** The names of parameters that were given but do not reach the model; absent if none. */
  ignored?: string[]
  waitReason?: {
    /** LANE: the limits of the provider key are used up. RATE_LIMIT: the provider asked to wait. BUDGET: calls in flight hold what is left of a spend limit. RETRY: the last attempt failed. */
    kind: 'LANE' | 'RATE_LIMIT' | 'BUDGET' | 'RETRY'
    /** The model that is to be called. */
    model?: string
    /** In the lane: 1 goes next. As the worker saw it when the call began to wait; calls of other processes are not counted. */
    position?: number
    /** RFC 3339, UTC. */
    since: string
    /** RFC 3339, UTC. */
    until?: string
  }
  /** Seconds to wait before the next poll; 0 once the status is terminal. */
  retryAfterSeconds: number
}

export type TaskPage = {
  items: Task[]
  /** 1 if the list was read by cursor. */
  page: number
  size: number
  total: number
  totalPages: number
  next: string | null
}

export type TaskStatus = 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELLED'
