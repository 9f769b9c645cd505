import { ask, askHidden, isInteractive } from './arguments/ask.ts'
import type { Cli } from './command.ts'
import { unreachable } from './connection.ts'
import { findKey, requireKey } from './settings.ts'
import { CliFailure, exits, usageFailure } from './terminal/failure.ts'

const prefix = '/api/console/v1'
const timeoutMs = 60_000

type Sender = Pick<Cli, 'settings' | 'signal'>
type Call = { method: 'GET' | 'POST' | 'PUT' | 'DELETE'; path: string; body?: object }

/** Makes calls that need a signed-in person, or a key with the scope `developer`. */
export type ConsoleApi = { call(call: Call): Promise<unknown> }

type Work<T> = (area: ConsoleApi) => Promise<T>

/**
 * Calls with the key in ATELIER_API_KEY. Signs in as a person instead if there is no key, if
 * ATELIER_EMAIL is set, or if the key lacks the scope and somebody can be asked for a password.
 */
export async function withConsoleApi<T>(cli: Cli, work: Work<T>): Promise<T> {
  const { apiKey, email } = cli.settings
  if (apiKey === null || email !== null) return withSession(cli, work)
  const credential = `Bearer ${requireKey(cli.settings)}`
  try {
    return await work({ call: async (call) => (await send(cli, credential, call)).data })
  } catch (error) {
    const lacksScope = error instanceof CliFailure && error.code === 'INSUFFICIENT_SCOPE'
    if (!lacksScope || !isInteractive(cli)) throw error
    return withSession(cli, work)
  }
}

/** With a key alone; null if it may not, or if there is none. */
export async function readWithKey(cli: Sender, path: string): Promise<unknown> {
  const found = findKey(cli.settings)
  if (!found) return null
  try {
    return (await send(cli, `Bearer ${found.key}`, { method: 'GET', path })).data
  } catch (error) {
    if (error instanceof CliFailure && error.exitCode === exits.unauthorised) return null
    throw error
  }
}

/** Signs in, runs `work`, and always signs out again. */
export async function withSession<T>(cli: Cli, work: Work<T>): Promise<T> {
  const { cookie } = await signIn(cli, await readCredentials(cli))
  try {
    return await work({ call: async (call) => (await send(cli, cookie, call)).data })
  } finally {
    // If signing out fails, the session expires by itself. The result of the work matters more.
    await send(cli, cookie, { method: 'POST', path: '/sign-out' }).catch(() => {})
  }
}

/** Also asks for a code if the person has two-step sign-in on. */
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

/** `credential` is a cookie, a bearer credential, or empty. */
async function send(
  { settings, signal }: Sender,
  credential: string,
  { method, path, body }: Call,
) {
  const { url } = settings
  const answer = await fetch(`${url}${prefix}${path}`, {
    method,
    headers: {
      // The console API accepts requests only from its own origin.
      origin: new URL(url).origin,
      ...headersFor(credential),
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

function headersFor(credential: string): Record<string, string> {
  if (credential === '') return {}
  return credential.startsWith('Bearer ') ? { authorization: credential } : { cookie: credential }
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
          : code === 'INSUFFICIENT_SCOPE'
            ? 'Use a key with this scope, or set ATELIER_EMAIL and ATELIER_PASSWORD to sign in instead.'
            : `Request ${answer.headers.get('x-request-id') ?? 'unknown'}`,
    },
  )
}
