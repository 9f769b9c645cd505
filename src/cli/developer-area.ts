import { ask, askHidden, isInteractive } from './arguments/ask.ts'
import type { Cli } from './command.ts'
import { unreachable } from './connection.ts'
import { CliFailure, exits, usageFailure } from './terminal/failure.ts'

const prefix = '/api/console/v1'
const timeoutMs = 60_000

type Call = { method: 'GET' | 'POST' | 'DELETE'; path: string; body?: object }

/** Calls that need a signed-in user. */
export type DeveloperArea = { call(call: Call): Promise<unknown> }

/** Signs in, runs `work`, and always signs out again. */
export async function withDeveloperArea<T>(
  cli: Cli,
  work: (area: DeveloperArea) => Promise<T>,
): Promise<T> {
  const { cookie } = await signIn(cli, await readCredentials(cli))
  try {
    return await work({ call: async (call) => (await send(cli, cookie, call)).data })
  } finally {
    // If signing out fails, the session expires by itself. The result of the work matters more.
    await send(cli, cookie, { method: 'POST', path: '/sign-out' }).catch(() => {})
  }
}

/** Whoever has two-step sign-in on is asked for a code too. */
async function signIn(cli: Cli, credentials: { email: string; password: string }) {
  const enter = (code?: string) =>
    send(cli, '', {
      method: 'POST',
      path: '/sign-in',
      body: { ...credentials, ...(code === undefined ? {} : { code }) },
    })
  try {
    return await enter()
  } catch (error) {
    const needsCode = error instanceof CliFailure && error.code === 'CODE_REQUIRED'
    if (!needsCode || !isInteractive(cli)) throw error
    return enter((await ask(cli, 'Code of your authenticator app: ')).trim())
  }
}

async function readCredentials(cli: Cli): Promise<{ email: string; password: string }> {
  const { email, password } = cli.settings
  if ((email === null || password === null) && !isInteractive(cli)) {
    throw usageFailure(
      'Signing in needs an e-mail and a password, but standard input is not a terminal.',
      'Set ATELIER_EMAIL and ATELIER_PASSWORD.',
    )
  }
  return {
    email: email ?? (await ask(cli, 'E-mail: ')).trim(),
    password: password ?? (await askHidden(cli, 'Password: ')),
  }
}

async function send({ settings, signal }: Cli, cookie: string, { method, path, body }: Call) {
  const { url } = settings
  const answer = await fetch(`${url}${prefix}${path}`, {
    method,
    headers: {
      // The developer area accepts requests only from its own origin.
      origin: new URL(url).origin,
      ...(cookie === '' ? {} : { cookie }),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  }).catch((cause) => {
    throw signal.aborted ? signal.reason : unreachable(url, cause)
  })
  const envelope = (await answer.json().catch(() => ({}))) as Envelope
  if (envelope.success !== true) throw refused(answer, envelope.error)
  const [set = ''] = answer.headers.getSetCookie()
  return { data: envelope.data, cookie: set.split(';')[0] ?? '' }
}

type Envelope = { success?: boolean; data?: unknown; error?: { code: string; message: string } }

function refused(answer: Response, error: Envelope['error']): CliFailure {
  const { status } = answer
  const isRefused = status === 401 || status === 403
  const code = error?.code ?? 'INVALID_ANSWER'
  return new CliFailure(
    error?.message ?? `The response (${status}) is not from an Atelier server.`,
    {
      exitCode: isRefused ? exits.unauthorised : exits.failed,
      code,
      hint:
        code === 'ORIGIN_NOT_ALLOWED'
          ? 'Set ATELIER_URL to the BASE_URL of the server.'
          : `Request ${answer.headers.get('x-request-id') ?? 'unknown'}`,
    },
  )
}
