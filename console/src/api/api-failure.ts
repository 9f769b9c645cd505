export type Issue = {
  path: string
  rule: string
  message: string
  code?: string
  nodeId?: string
}

type FailureFields = {
  status: number
  code: string
  message: string
  retryable: boolean
  details?: Record<string, unknown> | undefined
  requestId?: string | null
  retryAfterSeconds?: number | null
}

/** The server's refusal, in the contract's shape; or the fact that it did not answer. */
export class ApiFailure extends Error {
  override name = 'ApiFailure'
  readonly status: number
  readonly code: string
  readonly retryable: boolean
  readonly details: Record<string, unknown>
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null

  constructor(fields: FailureFields) {
    super(fields.message)
    this.status = fields.status
    this.code = fields.code
    this.retryable = fields.retryable
    this.details = fields.details ?? {}
    this.requestId = fields.requestId ?? null
    this.retryAfterSeconds = fields.retryAfterSeconds ?? null
  }

  /** Problems by path, if the server named any. */
  get issues(): Issue[] {
    return Array.isArray(this.details.issues) ? (this.details.issues as Issue[]) : []
  }

  /** No answer: the network or the server is down. */
  get isUnreachable(): boolean {
    return this.status === 0
  }
}

export const unreachable = (cause: unknown): ApiFailure =>
  Object.assign(
    new ApiFailure({
      status: 0,
      code: 'UNREACHABLE',
      message: 'The server could not be reached.',
      retryable: true,
    }),
    { cause },
  )

/** Anything thrown, turned into a failure that a page can show. */
export const toApiFailure = (error: unknown): ApiFailure =>
  error instanceof ApiFailure
    ? error
    : new ApiFailure({
        status: -1,
        code: 'CONSOLE_ERROR',
        message: error instanceof Error ? error.message : String(error),
        retryable: false,
      })
