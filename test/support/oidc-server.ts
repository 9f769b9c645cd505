// An OpenID provider on this machine: discovery, keys, authorization with PKCE, tokens, userinfo.
// As strict as a real one: a code works once, for its client, redirect address and verifier. Never
// asks for a password: whoever comes to authorize is `person`.
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose'

type Person = { sub: string; [claim: string]: unknown }
type Grant = { challenge: string; nonce: string; redirectUri: string }
type SigningKey = { kid: string; alg: string; jwk: JWK; privateKey: CryptoKey }

export type OidcServer = AsyncDisposable & {
  issuer: string
  jwksUrl: string
  client: { id: string; secret: string }
  /** Who signs in: the claims of their id token. */
  person: Person
  /** Their claims at the userinfo endpoint; null if it fails. */
  userinfo: Person | null
  /** Changes the claims of the next id tokens, to simulate a faulty or hostile provider. */
  spoil: (claims: JWTPayload) => JWTPayload
  /** How often each path was requested. */
  hits: Map<string, number>
  /** Adds a key and signs with it from now on. */
  addKey(alg: 'RS256' | 'PS256' | 'ES256' | 'EdDSA'): Promise<string>
  sign(claims: JWTPayload, header?: object): Promise<string>
  /** Opens the authorization URL like a browser, and returns the URL that it redirects to. */
  visit(authorizationUrl: string): Promise<string>
}

export async function startOidcServer({ nowMs }: { nowMs: () => number }): Promise<OidcServer> {
  const keys: SigningKey[] = []
  const grants: Grants = new Map()
  const accessTokens = new Set<string>()
  const hits = new Map<string, number>()

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', self.issuer)
    hits.set(url.pathname, (hits.get(url.pathname) ?? 0) + 1)
    if (url.pathname === '/token')
      return void answerToken(self, { grants, accessTokens, nowMs }, request, response)
    if (url.pathname === '/userinfo') return answerUserinfo(self, accessTokens, request, response)
    if (url.pathname === '/authorize') return authorize(self, grants, url, response)
    if (url.pathname === '/jwks') return sendJson(response, 200, { keys: keys.map((k) => k.jwk) })
    if (url.pathname === '/.well-known/openid-configuration') {
      return sendJson(response, 200, describeProvider(self.issuer))
    }
    sendJson(response, 404, {})
  })

  const self: OidcServer = {
    issuer: '',
    jwksUrl: '',
    client: { id: 'atelier client', secret: 's:e%c r+et' },
    person: { sub: 'person-1' },
    userinfo: null,
    spoil: (claims) => claims,
    hits,
    async addKey(alg) {
      const kid = randomBytes(8).toString('hex')
      const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
      keys.push({ kid, alg, jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig' }, privateKey })
      return kid
    },
    sign(claims, header = {}) {
      const key = keys.at(-1)
      if (!key) throw new Error('add a key first')
      return new SignJWT(claims)
        .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
        .sign(key.privateKey)
    },
    async visit(authorizationUrl) {
      const response = await fetch(authorizationUrl, { redirect: 'manual' })
      return response.headers.get('location') ?? ''
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  self.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  self.jwksUrl = `${self.issuer}/jwks`
  await self.addKey('ES256')
  return self
}

type Grants = Map<string, Grant>

/** Issues a code for every valid request. */
function authorize(self: OidcServer, grants: Grants, url: URL, response: ServerResponse) {
  const asked = url.searchParams
  const back = new URL(asked.get('redirect_uri') ?? '')
  const isProper =
    asked.get('client_id') === self.client.id &&
    asked.get('response_type') === 'code' &&
    asked.get('code_challenge_method') === 'S256' &&
    asked.get('scope')?.split(' ').includes('openid')
  if (isProper) {
    const code = randomBytes(16).toString('hex')
    grants.set(code, {
      challenge: asked.get('code_challenge') ?? '',
      nonce: asked.get('nonce') ?? '',
      redirectUri: back.href,
    })
    back.searchParams.set('code', code)
  } else back.searchParams.set('error', 'invalid_request')
  back.searchParams.set('state', asked.get('state') ?? '')
  response.writeHead(302, { location: back.href }).end()
}

async function answerToken(
  self: OidcServer,
  {
    grants,
    accessTokens,
    nowMs,
  }: { grants: Grants; accessTokens: Set<string>; nowMs: () => number },
  request: IncomingMessage,
  response: ServerResponse,
) {
  const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString('utf8'))
  const code = form.get('code') ?? ''
  const grant = grants.get(code)
  grants.delete(code)
  const verifier = createHash('sha256').update(form.get('code_verifier') ?? '')
  const isRight =
    grant !== undefined &&
    request.headers.authorization === basicOf(self.client) &&
    form.get('grant_type') === 'authorization_code' &&
    form.get('redirect_uri') === grant.redirectUri &&
    verifier.digest('base64url') === grant.challenge
  if (!isRight) return sendJson(response, 400, { error: 'invalid_grant' })
  const iat = Math.floor(nowMs() / 1000)
  const claims = {
    iss: self.issuer,
    aud: self.client.id,
    nonce: grant.nonce,
    iat,
    exp: iat + 300,
    ...self.person,
  }
  const idToken = await self.sign(self.spoil(claims))
  const accessToken = randomBytes(16).toString('hex')
  accessTokens.add(accessToken)
  sendJson(response, 200, { access_token: accessToken, token_type: 'Bearer', id_token: idToken })
}

function answerUserinfo(
  { userinfo }: OidcServer,
  accessTokens: Set<string>,
  { headers: { authorization = '' } }: IncomingMessage,
  response: ServerResponse,
) {
  const isKnown = accessTokens.has(authorization.replace(/^Bearer /, ''))
  if (!isKnown) return sendJson(response, 401, { error: 'invalid_token' })
  if (userinfo === null) return sendJson(response, 503, {})
  sendJson(response, 200, userinfo)
}

const describeProvider = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  userinfo_endpoint: `${issuer}/userinfo`,
})

function sendJson(response: ServerResponse, status: number, body: object) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const formEncode = (text: string) => encodeURIComponent(text).replaceAll('%20', '+')

const basicOf = ({ id, secret }: OidcServer['client']) =>
  `Basic ${Buffer.from(`${formEncode(id)}:${formEncode(secret)}`).toString('base64')}`
