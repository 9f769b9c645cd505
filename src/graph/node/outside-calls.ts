// The calls to the outside that nodes make, and their answers.

/** A stored image or video. */
export type Media = {
  url: string
  mimeType: string
  sizeBytes: number
  width?: number
  height?: number
  durationSeconds?: number
  hasAudio?: boolean
}

/** `length`: cut off, so that its end is missing. */
export type Answer = { text: string; finish: 'stop' | 'length' }

export type TextCall = {
  model: string
  prompt: string
  system?: string | undefined
  image?: Media | undefined
  temperature?: number | undefined
  maxTokens?: number | undefined
  responseFormat: 'text' | 'json'
  /** The name of a credential of the account, whose key is used in place of the server's. */
  credential?: string | undefined
}

export type MediaCall = {
  kind: 'IMAGE' | 'VIDEO'
  model: string
  prompt: string
  image?: Media | undefined
  mask?: Media | undefined
  parameters: Readonly<Record<string, unknown>>
  /** As for text. */
  credential?: string | undefined
}

export type HttpCall = {
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  body?: string
  timeoutMs: number
  /** The name of a credential of the account, whose headers are added when the request is sent. */
  credential?: string
  /** It resolves with status 0 if its answer died with a process. */
  mayBeLost?: true
}

export type HttpAnswer = { status: number; headers: Record<string, string>; body: string }

/** A call whose answer may be reused. */
export type ReusableRequest =
  | { kind: 'TEXT'; call: TextCall }
  | { kind: 'MEDIA'; call: MediaCall }
  | { kind: 'HTTP'; call: HttpCall }
