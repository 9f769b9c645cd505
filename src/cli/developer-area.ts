import { ask, askHidden, isInteractive } from './arguments/ask.ts'
import type { Cli } from './command.ts'
import { unreachable } from './connection.ts'
import { CliFailure, exits, usageFailure } from './terminal/failure.ts'

const prefix = '/api/console/v1'
const timeoutMs = 60_000

type Call = { method: 'GET' | 'POST' | 'DELETE'; path: string; body?: object }

/** What a signed-in person may do. */
export type DeveloperArea = { call(call: Call): Promise<unknown> }

/** Signs in, works, and signs out again whatever happened. */
export async function withDeveloperArea<T>(
  cli: Cli,
  work: (area: DeveloperArea) => Promise<T>,
): Promise<T> {
  const credentials = await readCredentials(cli)
  const signedIn = await send(cli, '', { method: 'POST', path: '/sign-in', body: credentials })
  const cookie = signedIn.cookie
  try {
    return await work({ call: async (call) => (await send(cli, cookie, call)).data })
  } finally {
    // A session that could not be ended ends by itself; the work is what counts.
    await send(cli, cookie, { method: 'POST', path: '/sign-out' }).catch(() => {})
  }
}

async function readCredentials(cli: Cli): Promise<{ email: string; password: string }> {
  const { email, password } = cli.settings
  if ((email === null || password === null) && !isInteractive(cli)) {
    throw usageFailure(
      'Signing in needs an e-mail and a password, and nobody can be asked here.',
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
      // The developer area answers its own pages only; here we are one.
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
  return new CliFailure(error?.message ?? `The answer (${status}) is not one of Atelier.`, {
    exitCode: isRefused ? exits.unauthorised : exits.failed,
    code,
    hint:
      code === 'ORIGIN_NOT_ALLOWED'
        ? 'Set ATELIER_URL to the BASE_URL of the server.'
        : `Request ${answer.headers.get('x-request-id') ?? 'unknown'}`,
  })
}
