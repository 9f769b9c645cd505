import type { AtelierError } from '#client/client.ts'

/** Exit codes of the process; docs/command-line.md documents these numbers. */
export const exits = {
  ok: 0,
  /** The server was reached, but the request failed or was refused. */
  failed: 1,
  usage: 2,
  unreachable: 3,
  unauthorised: 4,
  interrupted: 130,
} as const

type Options = { exitCode: number; code: string; hint?: string | undefined; cause?: unknown }

/** A failure found by the command line itself; `hint` says what to do. */
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

/** What is printed about an error, on a terminal or as JSON. */
export type FailureReport = {
  exitCode: number
  code: string
  message: string
  /** What exactly was wrong, one line each. */
  issues: string[]
  hint: string | undefined
  requestId: string | undefined
  retryable: boolean
  details: unknown
}

/** Errors of the server's modules, by name, so that commands need not load those modules. */
const codesByName: Record<string, string> = {
  StoreUnavailable: 'STORE_UNAVAILABLE',
  MachineRefused: 'REFUSED',
}

export function reportFailure(error: unknown, url: string): FailureReport {
  const nothing = { issues: [], requestId: undefined, retryable: false, details: undefined }
  if (error instanceof CliFailure) {
    const { exitCode, code, message, hint } = error
    return { ...nothing, exitCode, code, message, hint }
  }
  if (error instanceof Error && error.name === 'AtelierError') {
    // Checked by name, so that a command that never connects does not load the client.
    return reportServerError(error as AtelierError, url)
  }
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  const code = codesByName[name] ?? 'UNEXPECTED'
  return { ...nothing, exitCode: exits.failed, code, message, hint: undefined }
}

function reportServerError(error: AtelierError, url: string): FailureReport {
  const { code, message, retryable, status, details, requestId } = error
  const report = { code, message, retryable, details, requestId, issues: linesOf(details, message) }
  const next = nextStep(error)
  if (status === 0 || notAtelier.has(code)) {
    const look = `Is the server at ${url} running? Run "atelier doctor" for details.`
    return { ...report, exitCode: exits.unreachable, hint: next ?? hints[code] ?? look }
  }
  const again = retryable ? 'You may run the same command again.' : undefined
  const hint = hints[code] ?? (retryable ? next : undefined) ?? again
  const isRefused = status === 401 || code === 'INSUFFICIENT_SCOPE' || code === 'ACCOUNT_DISABLED'
  return { ...report, exitCode: isRefused ? exits.unauthorised : exits.failed, hint }
}

/** How to continue after a run was submitted, or may have been. */
function nextStep({ runId, idempotencyKey }: AtelierError): string | undefined {
  if (runId !== undefined) return `The run continues. To wait for it: atelier runs wait ${runId}`
  return idempotencyKey === undefined
    ? undefined
    : `Repeat the command with --key ${idempotencyKey}: this starts no second run.`
}

const notAtelier = new Set(['INVALID_ANSWER', 'REDIRECT_REFUSED'])

const hints: Record<string, string> = {
  OUTCOME_UNKNOWN: 'Check before you repeat it: it may have been executed and billed.',
  INVALID_ANSWER: 'Set ATELIER_URL to the address of an Atelier server.',
  REDIRECT_REFUSED: 'Set ATELIER_URL to the address it redirects to.',
  AUTH_REQUIRED: 'Set ATELIER_API_KEY to a key of this server.',
  INVALID_CREDENTIAL:
    'Set ATELIER_API_KEY to a key of this server, or DATA_DIR to the data folder of a local one.',
  CREDENTIAL_EXPIRED: 'Create a new key with "atelier keys create" and set ATELIER_API_KEY to it.',
  INSUFFICIENT_SCOPE: 'Create a key with this scope: "atelier keys create --scope …".',
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

/** Every detail that the message does not already contain, one line each. */
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
