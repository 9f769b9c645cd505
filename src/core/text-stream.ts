// The types of a conversation with function calling, answered whole or as a stream. The request
// side, the work side and the adapters share them.

/** A function a model may ask the caller to call. */
export type ToolDefinition = {
  name: string
  description?: string
  parameters?: object
  /** Arguments must match the schema, for providers that can enforce it. */
  strict?: boolean
}

export type ToolChoice = 'auto' | 'none' | 'required' | { name: string }

export type ToolCall = {
  id: string
  name: string
  /** JSON text as the model wrote it, which may be malformed. */
  arguments: string
  /** An opaque value of the provider that must be sent back with the call. */
  signature?: string
}

export type ToolUse = {
  tools?: ToolDefinition[]
  toolChoice?: ToolChoice
  /** False: at most one call per answer, for providers that offer this option. */
  parallelToolCalls?: boolean
}

/** How the model samples tokens and where it stops. */
export type Sampling = {
  /** The text ends before the first of these, which are not empty. */
  stop?: string[]
  topP?: number
}

/** The more, the longer a model reasons before it answers. Which of them it takes, it declares. */
export const reasoningEfforts = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
] as const
export type ReasoningEffort = (typeof reasoningEfforts)[number]

/** What the text of an answer has to be, where it is JSON. */
export type JsonSchema = { name: string; schema: object; description?: string; strict?: boolean }

/** What some providers offer and others do not: passed on where it is offered, else refused. */
export type TextOptions = {
  frequencyPenalty?: number
  presencePenalty?: number
  /** How likely a token is made, by its number in the vendor's own tokenizer. */
  logitBias?: Record<string, number>
  verbosity?: 'low' | 'medium' | 'high'
  /** Asks for the probability of each token, and of this many others in its place. */
  topLogprobs?: number
  /** Answers to make at once, 2 or more. */
  choices?: number
}

/** The probability of a token, in OpenAI's format: no other vendor that has it passes here. */
export type Logprob = object

/** A further answer to the same call. */
export type Alternative = {
  text: string
  toolCalls?: ToolCall[]
  logprobs?: Logprob[]
  finish: 'stop' | 'length' | 'content_filter'
}

/** What an answer is like. */
export type AnswerForm = {
  /** 'json': any JSON value. */
  responseFormat?: 'text' | 'json'
  /** JSON of this schema, where the model declares that it keeps to one. */
  jsonSchema?: JsonSchema
  reasoningEffort?: ReasoningEffort
}

/** Pieces of an answer: text, and function calls whose arguments come as JSON text. */
export type TextPiece = {
  /** Of which of several answers; of the first unless it is said. */
  choice?: number
} & (
  | { type: 'text'; text: string; logprobs?: Logprob[] }
  | { type: 'tool_call'; index: number; id: string; name: string; signature?: string }
  | { type: 'tool_arguments'; index: number; text: string }
)

/** How those after the first of several answers ended, by their number. */
export type OtherEnds = { otherFinishes?: ReadonlyMap<number, Alternative['finish']> }
