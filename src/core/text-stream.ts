// The types of a conversation with function calling, answered whole or as a stream. The request
// side, the work side and the adapters share them.

/** How long a vendor keeps the request up to a marked place, if it caches on request. */
export type CacheLifetime = '5m' | '1h'

/** A function a model may ask the caller to call. */
export type ToolDefinition = {
  name: string
  description?: string
  parameters?: object
  /** Arguments must match the schema, for providers that can enforce it. */
  strict?: boolean
  cache?: CacheLifetime
}

export type ToolChoice = 'auto' | 'none' | 'required' | { name: string }

export type ToolCall = {
  id: string
  name: string
  /** JSON text as the model wrote it, which may be malformed. */
  arguments: string
  /** An opaque value of the provider that must be sent back with the call. */
  signature?: string
  /** Of a call that is sent back. */
  cache?: CacheLifetime
}

/**
 * What a model thought before it answered. Its vendor wants some of it back unchanged with the
 * answer it led to; that part is the signature, which nobody else can read.
 */
export type Thought = { text: string; signature?: string }

/** The vendors whose hosted tools are passed on, each in the form of its own API. */
export const hostedForms = ['anthropic', 'openai', 'gemini'] as const
export type HostedForm = (typeof hostedForms)[number]

/** A search on the web, which the vendor of the model makes and bills. */
export type WebSearch = {
  form: HostedForm
  /** As the vendor's API has it; passed on as it is. */
  tool: object
  /** How often the model may search in one answer. */
  most: number
}

/** What a hosted tool added to an answer, in the form of its vendor. */
export type Hosted = { form: HostedForm; item: Record<string, unknown> }

export type ToolUse = {
  webSearch?: WebSearch
  tools?: ToolDefinition[]
  toolChoice?: ToolChoice
  /** False: at most one call per answer, for providers that offer this option. */
  parallelToolCalls?: boolean
}

/** How the model samples tokens and where it stops. */
export type Sampling = {
  /** Non-empty strings; the text ends before the first occurrence of any of them. */
  stop?: string[]
  topP?: number
}

/** How much a model reasons before it answers, least first. Each model declares what it accepts. */
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

/** The schema that the JSON of an answer must match. */
export type JsonSchema = { name: string; schema: object; description?: string; strict?: boolean }

/** Options that only some providers offer: passed on to those, refused for the others. */
export type TextOptions = {
  frequencyPenalty?: number
  presencePenalty?: number
  /** Makes tokens more or less likely, keyed by their number in the vendor's own tokenizer. */
  logitBias?: Record<string, number>
  verbosity?: 'low' | 'medium' | 'high'
  /** Asks for the log probability of each token and of this many alternatives to it. */
  topLogprobs?: number
  /** How many answers to generate, 2 or more. */
  choices?: number
}

/** The log probability of a token in OpenAI's format: no other adapter asks for them. */
export type Logprob = object

/** A further answer to the same call. */
export type Alternative = {
  text: string
  thoughts?: Thought[]
  toolCalls?: ToolCall[]
  logprobs?: Logprob[]
  finish: 'stop' | 'length' | 'content_filter'
}

/** The format of an answer, how much reasoning precedes it, and how soon it is wanted. */
export type AnswerForm = {
  /** 'json': any JSON value. */
  responseFormat?: 'text' | 'json'
  /** JSON that matches this schema, for models that declare that they support it. */
  jsonSchema?: JsonSchema
  reasoningEffort?: ReasoningEffort
  /** Asks for the thoughts in words, from providers that show them only on request. */
  showThoughts?: boolean
  /** Asks for the vendor's slow and cheap tier, of the first model that has one. */
  tier?: 'flex'
}

/** Pieces of an answer: thoughts, text, and function calls whose arguments come as JSON text. */
export type TextPiece = {
  /** The number of the answer that the piece belongs to; absent for the first. */
  choice?: number
} & (
  | { type: 'text'; text: string; logprobs?: Logprob[] }
  /** With a signature, it ends the thought. */
  | ({ type: 'thought' } & Thought)
  | ({ type: 'hosted' } & Hosted)
  | { type: 'tool_call'; index: number; id: string; name: string; signature?: string }
  | { type: 'tool_arguments'; index: number; text: string }
)

/**
 * At what an answer ended, if its provider says it: the one of the caller's stop sequences, or a
 * pause of the vendor's own tools, after which it goes on if it is sent back.
 */
export type EndCause = { stopSequence: string } | 'pause'

/** How a provider ended an answer. */
export type ProviderEnd = {
  /** `malformed`: the provider ended the answer because the model wrote nothing usable. */
  finish: 'stop' | 'length' | 'content_filter' | 'malformed'
  endCause?: EndCause
  /** For `content_filter` and `malformed`: the provider's explanation, if it gives one. */
  refusal?: string
}

/** How the answers after the first one ended, by their number. */
export type OtherEnds = { otherFinishes?: ReadonlyMap<number, Alternative['finish']> }
