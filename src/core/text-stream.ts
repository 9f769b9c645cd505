// A conversation that may call functions, answered whole or piece by piece: the words that the
// request side, the work side and the adapters share.

/** A function a model may ask the caller to call. */
export type ToolDefinition = {
  name: string
  description?: string
  parameters?: object
  /** Arguments must keep to the schema, where the provider can see to it. */
  strict?: boolean
}

export type ToolChoice = 'auto' | 'none' | 'required' | { name: string }

export type ToolCall = {
  id: string
  name: string
  /** JSON text as the model wrote it: it may be broken. */
  arguments: string
  /** The provider's own mark, to be given back with the call. */
  signature?: string
}

export type ToolUse = {
  tools?: ToolDefinition[]
  toolChoice?: ToolChoice
  /** False: at most one call an answer, where the provider has such a switch. */
  parallelToolCalls?: boolean
}

/** How the model picks its words, and where it ends. */
export type Sampling = {
  /** The text ends before the first of these; none is empty. */
  stop?: string[]
  topP?: number
}

/** Pieces of an answer: text, and function calls whose arguments come as JSON text. */
export type TextPiece =
  | { type: 'text'; text: string }
  | { type: 'tool_call'; index: number; id: string; name: string; signature?: string }
  | { type: 'tool_arguments'; index: number; text: string }
