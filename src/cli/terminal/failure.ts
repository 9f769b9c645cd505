import type { AtelierError } from '#client/client.ts'

/** What the process ends with; docs/command-line.md promises these numbers. */
export const exits = {
  ok: 0,
  /** It was asked, and it failed or was refused. */
  failed: 1,
  usage: 2,
  unreachable: 3,
  unauthorised: 4,
  interrupted: 130,
} as const

type Options = { exitCode: number; code: string; hint?: string | undefined; cause?: unknown }

/** An end the command line itself decides on; `hint` says what to do. */
export class CliFailure extends Error {
  override name = 'CliFailure'
  readonly exitCode: number
  readonly code: string
  readonly hint: string | undefined

  constructor(message: string, { exitCode, code, hint, cause }: Options) {
    super(message, { cause })
    this.exitCode = exitCode
    this.code = code
    this.hint = hint
  }
}

export const usageFailure = (message: string, hint?: string) =>
  new CliFailure(message, { exitCode: exits.usage, code: 'USAGE', hint })

export const interrupted = (hint?: string) =>
  new CliFailure('Interrupted.', { exitCode: exits.interrupted, code: 'INTERRUPTED', hint })

/** What is told about an error, on a terminal or as JSON. */
export type Told = {
  exitCode: number
  code: string
  message: string
  /** One line each: what exactly was wrong. */
  issues: string[]
  hint: string | undefined
  requestId: string | undefined
  retryable: boolean
  details: unknown
}

export function tell(error: unknown, url: string): Told {
  const nothing = { issues: [], requestId: undefined, retryable: false, details: undefined }
  if (error instanceof CliFailure) {
    const { exitCode, code, message, hint } = error
    return { ...nothing, exitCode, code, message, hint }
  }
  if (error instanceof Error && error.name === 'AtelierError') {
    // By name, so that a command that never connects does not load the client.
    return tellServerError(error as AtelierError, url)
  }
  const message = error instanceof Error ? error.message : String(error)
  return { ...nothing, exitCode: exits.failed, code: 'UNEXPECTED', message, hint: undefined }
}

function tellServerError(error: AtelierError, url: string): Told {
  const { code, message, retryable, status, details, requestId } = error
  const told = { code, message, retryable, details, requestId, issues: linesOf(details, message) }
  const goOn = howToGoOn(error)
  if (status === 0 || notAtelier.has(code)) {
    const look = `Is the server at ${url} running? "atelier doctor" looks closer.`
    return { ...told, exitCode: exits.unreachable, hint: goOn ?? hints[code] ?? look }
  }
  const again = retryable ? 'The same command may be given again.' : undefined
  const hint = hints[code] ?? (retryable ? goOn : undefined) ?? again
  const isRefused = status === 401 || code === 'INSUFFICIENT_SCOPE' || code === 'ACCOUNT_DISABLED'
  return { ...told, exitCode: isRefused ? exits.unauthorised : exits.failed, hint }
}

/** After a run was submitted, or may have been. */
function howToGoOn({ runId, idempotencyKey }: AtelierError): string | undefined {
  if (runId !== undefined) return `The run goes on. To wait for it: atelier runs wait ${runId}`
  return idempotencyKey === undefined
    ? undefined
    : `Give the command again with --key ${idempotencyKey}: no second run is made.`
}

const notAtelier = new Set(['INVALID_ANSWER', 'REDIRECT_REFUSED'])

const hints: Record<string, string> = {
  OUTCOME_UNKNOWN: 'Look before you repeat it: it may have been carried out, and be billed.',
  INVALID_ANSWER: 'Set ATELIER_URL to the address of an Atelier server.',
  REDIRECT_REFUSED: 'Set ATELIER_URL to the address it redirects to.',
  AUTH_REQUIRED: 'Set ATELIER_API_KEY to a key of this server.',
  INVALID_CREDENTIAL:
    'Set ATELIER_API_KEY to a key of this server, or DATA_DIR to the data folder of a local one.',
  CREDENTIAL_EXPIRED: 'Make a new key with "atelier keys create", and set ATELIER_API_KEY to it.',
  INSUFFICIENT_SCOPE: 'Make a key with this scope: "atelier keys create --scope …".',
  MODEL_NOT_FOUND: '"atelier models" lists the models.',
  MODEL_KIND_MISMATCH: '"atelier models" lists the models with their kinds.',
  WORKFLOW_NOT_FOUND: '"atelier workflow list" lists the workflows.',
  TASK_NOT_FOUND: '"atelier tasks list" lists the tasks.',
  RUN_NOT_FOUND: '"atelier runs list WORKFLOW_ID" lists the runs of a workflow.',
  IDEMPOTENCY_KEY_REUSED: 'Use another --key for other inputs.',
  ORIGIN_NOT_ALLOWED: 'Set ATELIER_URL to the BASE_URL of the server.',
}

const maxLines = 20
const maxChars = 500

/** Every detail the message does not tell already, a line each. */
function linesOf(details: unknown, message: string): string[] {
  if (typeof details !== 'object' || details === null) return []
  const { issues, requestId: _, ...rest } = details as Record<string, unknown>
  const facts = Object.entries(rest).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return `${name}: ${text.slice(0, maxChars)}`
  })
  return [...(Array.isArray(issues) ? issuesOf(issues, message) : []), ...facts].slice(0, maxLines)
}

type GivenIssue = { code?: string; path?: string; message?: string }

const issuesOf = (issues: readonly GivenIssue[], message: string): string[] =>
  issues
    .filter(({ code, message: text = '' }) => code !== undefined || !message.includes(text))
    .map(({ code, path, message: text }) => [code, path, text].filter(Boolean).join(' '))
