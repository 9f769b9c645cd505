// The calls that cross from the request side to the work side, as words both know.
import type { Principal } from './principal.ts'
import type { StopSignal } from './stop.ts'

export type Spender = Pick<
  Principal,
  'accountId' | 'keyId' | 'limits' | 'accountSpendPerMonthMicros'
>

export type TextCall = {
  principal: Spender
  modelId: string
  messages: { role: 'system' | 'user' | 'assistant'; content?: unknown }[]
  systemPrompt?: string | undefined
  temperature?: number | undefined
  maxTokens?: number | undefined
  responseFormat?: 'text' | 'json'
  /** The node of a run that asks, and the worker that has the run. */
  origin?: { runId: string; nodeId: string; workerId: string }
}

export type GeneratedText = {
  id: string
  modelId: string
  text: string
  finish: 'stop' | 'length' | 'content_filter'
  usage: { inputTokens: number; outputTokens: number }
  costMicros: number | null
  createdAtMs: number
}

export type GenerateText = (
  call: TextCall,
  options: { signal: StopSignal },
) => Promise<GeneratedText>

/** What the work side needs to make the picture or video; stored with the task. */
export type TaskRequest = {
  prompt: string
  image?: InputImage
  aspectRatio?: string
  quality?: string
  sampleSize?: string
  seconds?: number
  resolution?: string
  generateAudio?: boolean
}

/** An address to fetch when the work starts, or bytes already in the media store. */
export type InputImage = { url: string } | { mediaId: string }

export type TaskSubmission = {
  principal: Spender
  modelId: string
  kind: 'IMAGE' | 'VIDEO'
  request: Omit<TaskRequest, 'image'> & { imageUrl?: string }
}

export type SubmitTask = (
  submission: TaskSubmission,
) => Promise<{ id: string; createdAtMs: number }>
