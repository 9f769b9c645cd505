// Plays a person on the page where an app asks for access, and makes the requests of an app.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { Person } from './console.ts'
import type { Answer, TestServer } from './server.ts'

export const callback = 'http://127.0.0.1:9876/callback'

const form = (fields: Record<string, string> | [string, string][]) => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
})

/** Opens the page as a browser does and returns its hidden field and its checkboxes. */
export async function openConsent(person: Person, address: string | URL) {
  const { pathname, search } = new URL(address)
  const page = await person.call({ path: pathname + search, headers: { accept: 'text/html' } })
  const sealed = /name="request" value="([^"]+)"/.exec(page.text)?.[1]
  const scopes = [...page.text.matchAll(/name="scope" value="([^"]+)"/g)].map((box) => box[1] ?? '')
  return { page, sealed: sealed ?? '', scopes }
}

/** Submits the form of the page. */
export const sendConsent = (
  person: Person,
  given: { sealed: string; scopes: string[]; decision?: string },
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const { headers: type, body } = form([
    ['request', given.sealed],
    ...given.scopes.map((scope): [string, string] => ['scope', scope]),
    ['decision', given.decision ?? 'allow'],
  ])
  return person.call({
    method: 'POST',
    path: '/oauth/authorize',
    body,
    headers: { ...type, ...headers },
  })
}

/** Grants the requested scopes and returns the parameters that the browser brings to the app. */
export async function agree(
  person: Person,
  address: string | URL,
  choose: (scopes: string[]) => string[] = (scopes) => scopes,
): Promise<URLSearchParams> {
  const { page, sealed, scopes } = await openConsent(person, address)
  assert.equal(page.status, 200, page.text)
  const answer = await sendConsent(person, { sealed, scopes: choose(scopes) })
  assert.equal(answer.status, 303, answer.text)
  return new URL(String(answer.headers.location)).searchParams
}

export const newVerifier = () => randomBytes(32).toString('base64url')

/** Lets each registration come from another address, because only a few per minute are allowed. */
export const manyAddresses = { TRUSTED_PROXIES: '127.0.0.0/8' }
const someAddress = () =>
  `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`

export async function registerApp(server: TestServer, metadata: object = {}): Promise<string> {
  const answer = await server.call({
    method: 'POST',
    path: '/oauth/register',
    key: null,
    headers: { 'x-forwarded-for': someAddress() },
    json: { client_name: 'An app', redirect_uris: [callback], ...metadata },
  })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.client_id
}

/** The URL that an app sends a person to. */
export function authorizeAddress(
  server: TestServer,
  given: { clientId: string; verifier: string } & Record<string, string>,
): string {
  const { clientId, verifier, ...others } = given
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: callback,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'xyz',
    ...others,
  }
  return `${server.url}/oauth/authorize?${new URLSearchParams(parameters)}`
}

export const post = (server: TestServer, path: string, fields: Record<string, string>) =>
  server.call({ method: 'POST', path, key: null, ...form(fields) })

export const exchange = (
  server: TestServer,
  given: { code: string; verifier: string; clientId: string } & Record<string, string>,
): Promise<Answer> => {
  const { code, verifier, clientId, ...others } = given
  return post(server, '/oauth/token', {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    client_id: clientId,
    redirect_uri: callback,
    ...others,
  })
}

export const refresh = (
  server: TestServer,
  given: { token: string; clientId: string } & Record<string, string>,
): Promise<Answer> => {
  const { token, clientId, ...others } = given
  return post(server, '/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: token,
    client_id: clientId,
    ...others,
  })
}

/** Connects an app: all steps, one by one. */
export async function connectApp(
  server: TestServer,
  person: Person,
  options: { scope?: string; choose?: (scopes: string[]) => string[] } = {},
) {
  const clientId = await registerApp(server)
  const verifier = newVerifier()
  const scope: Record<string, string> = options.scope ? { scope: options.scope } : {}
  const address = authorizeAddress(server, { clientId, verifier, ...scope })
  const code = (await agree(person, address, options.choose)).get('code') ?? ''
  const { status, body, text } = await exchange(server, { code, verifier, clientId })
  assert.equal(status, 200, text)
  return {
    clientId,
    code,
    verifier,
    access: body.access_token as string,
    refresh: body.refresh_token as string,
    scope: body.scope as string,
  }
}
