// The official client connects by the address of the server alone: it finds out everything else,
// sends the person to the page, and then calls tools with what it got.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setDefaultCACertificates } from 'node:tls'
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { auth as oldAuth } from '@modelcontextprotocol/sdk/client/auth.js'
import { decodeJwt } from 'jose'
import { consolePath, type Person, signUp } from '../../../support/console.ts'
import { agree, callback } from '../../../support/oauth.ts'
import { type Body, startServer, type TestServer } from '../../../support/server.ts'

const certificate = (name: string) =>
  readFileSync(new URL(`../../../support/certificates/${name}`, import.meta.url), 'utf8')

let server: TestServer
let person: Person
let publisher: Server
/** What the publisher serves, by path. */
const published = new Map<string, object>()
const read: string[] = []

before(async () => {
  setDefaultCACertificates([certificate('ca.pem')])
  server = await startServer({ SIGN_UP: 'open', OUTBOUND_ALLOW: '127.0.0.0/8,::1/128' })
  person = await signUp(server)
  publisher = createServer(
    { key: certificate('server.key'), cert: certificate('server.pem') },
    (request, response) => {
      read.push(request.url ?? '')
      const document = published.get(request.url ?? '')
      response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' })
      response.end(JSON.stringify(document ?? {}))
    },
  )
  await new Promise<void>((resolve) => void publisher.listen(0, 'localhost', resolve))
})
after(async () => {
  publisher.close()
  await server.stop()
})

/** Remembers what the client asks it to, and where it sends the person. */
function createProvider(clientMetadataUrl?: string) {
  const kept: Record<string, Body> = {}
  const keep = (name: string, value: unknown) => {
    kept[name] = value
  }
  const provider: OAuthClientProvider = {
    redirectUrl: callback,
    ...(clientMetadataUrl ? { clientMetadataUrl } : {}),
    clientMetadata: { client_name: 'Official client', redirect_uris: [callback] },
    state: () => 'the-state',
    clientInformation: () => kept.client,
    saveClientInformation: (client) => keep('client', client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => keep('tokens', tokens),
    redirectToAuthorization: (url) => keep('address', url),
    saveCodeVerifier: (verifier) => keep('verifier', verifier),
    codeVerifier: () => kept.verifier,
    saveDiscoveryState: (state) => keep('discovery', state),
    discoveryState: () => kept.discovery,
    invalidateCredentials: (which) => {
      if (which === 'tokens' || which === 'all') delete kept.tokens
      if (which === 'client' || which === 'all') delete kept.client
    },
  }
  return { provider, kept }
}

async function connect(provider: OAuthClientProvider) {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
    authProvider: provider,
  })
  return { client, transport, open: () => client.connect(transport) }
}

/** Connects up to the page, lets the person agree, and connects again. */
async function connectByAddress(made: ReturnType<typeof createProvider>) {
  const first = await connect(made.provider)
  await assert.rejects(first.open(), UnauthorizedError)
  const answer = await agree(person, made.kept.address)
  assert.equal(answer.get('state'), 'the-state')
  await first.transport.finishAuth(answer)
  const second = await connect(made.provider)
  await second.open()
  return second.client
}

const models = async (client: Client) => {
  const { structuredContent } = await client.callTool({ name: 'svc_list_models', arguments: {} })
  return (structuredContent as Body).data
}

describe('the official client', () => {
  test('registers itself, is connected by a person, and calls tools for them', async () => {
    const made = createProvider()
    const client = await connectByAddress(made)
    assert.ok((await models(client)).items.length > 0)
    await client.close()
    assert.equal(made.kept.client.token_endpoint_auth_method, 'none')
    const claims = decodeJwt(made.kept.tokens.access_token)
    assert.equal(claims.aud, `${server.url}/mcp`)
    assert.equal(claims.client_id, made.kept.client.client_id)
    assert.equal(claims.acct, person.accountId)
    assert.ok((claims.exp ?? 0) - (claims.iat ?? 0) <= 900)
  })

  test('goes on with a new token when the old one is refused, without the person', async () => {
    const made = createProvider()
    await (await connectByAddress(made)).close()
    const before = made.kept.tokens
    made.kept.tokens = { ...before, access_token: 'expired' }
    delete made.kept.address
    const { client, open } = await connect(made.provider)
    await open()
    assert.ok((await models(client)).items.length > 0)
    await client.close()
    assert.equal(made.kept.address, undefined)
    assert.notEqual(made.kept.tokens.refresh_token, before.refresh_token)
  })

  test('is known by a document at its https address, and registers nowhere', async () => {
    const { port } = publisher.address() as AddressInfo
    const id = `https://localhost:${port}/apps/client.json`
    published.set('/apps/client.json', {
      client_id: id,
      client_name: 'Published client',
      redirect_uris: [callback],
      token_endpoint_auth_method: 'none',
    })
    const made = createProvider(id)
    const client = await connectByAddress(made)
    assert.ok((await models(client)).items.length > 0)
    await client.close()
    assert.equal(decodeJwt(made.kept.tokens.access_token).client_id, id)
    assert.deepEqual(read, ['/apps/client.json'], 'the document is read once')
    const apps = await person.call({ path: `${consolePath}/connected-apps` })
    const [newest] = apps.body.data.items
    assert.deepEqual([newest.name, newest.clientId], ['Published client', id])
  })

  test('of the previous generation connects too', async () => {
    const { provider, kept } = createProvider()
    // Both generations define the same members, each with types of its own.
    const old = provider as unknown as Parameters<typeof oldAuth>[0]
    const serverUrl = new URL(`${server.url}/mcp`)
    assert.equal(await oldAuth(old, { serverUrl }), 'REDIRECT')
    const authorizationCode = (await agree(person, kept.address)).get('code') ?? ''
    assert.equal(await oldAuth(old, { serverUrl, authorizationCode }), 'AUTHORIZED')
    const answer = await server.call({
      path: '/api/ai-tools/v1/models',
      key: kept.tokens.access_token,
    })
    assert.equal(answer.status, 200, answer.text)
  })
})

describe('a document that describes a client', () => {
  const show = async (clientId: string) => {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: callback,
    })
    return person.call({ path: `/oauth/authorize?${query}`, headers: { accept: 'text/html' } })
  }
  const at = (path: string, document: object) => {
    const { port } = publisher.address() as AddressInfo
    published.set(path, { redirect_uris: [callback], ...document })
    return `https://localhost:${port}${path}`
  }

  test('must name its own address, give acceptable URIs and no secret', async () => {
    const { port } = publisher.address() as AddressInfo
    const own = (path: string) => `https://localhost:${port}${path}`
    const wrong: [string, RegExp][] = [
      [at('/other', { client_id: 'https://elsewhere.example/a' }), /names another client_id/],
      [at('/list', []), /names another client_id/],
      [at('/uri', { client_id: own('/uri'), redirect_uris: ['javascript://%0aalert(1)'] }), /URI/],
      [
        at('/secret', {
          client_id: own('/secret'),
          token_endpoint_auth_method: 'client_secret_post',
        }),
        /no secret/,
      ],
      [own('/absent'), /answered 404/],
      [own('/a/../b'), /not a plain https URL/],
      [`https://localhost:${port}`, /not a plain https URL/],
      ['https://10.0.0.1/internal', /could not be read/],
      ['https://169.254.169.254/latest/meta-data', /could not be read/],
    ]
    for (const [clientId, message] of wrong) {
      const { status, text } = await show(clientId)
      assert.equal(status, 400, clientId)
      assert.match(text, message, clientId)
      assert.doesNotMatch(text, /href="http:\/\/127/, 'there is no way to its URI')
    }
  })
})
