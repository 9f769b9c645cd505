// Signing in through an organisation's OpenID provider, as a browser does it: there and back.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { consolePath } from '../support/console.ts'
import { assertSound, type ConsoleTest, startConsole } from '../support/console-browser.ts'
import { authorizeAddress, exchange, newVerifier, registerApp } from '../support/oauth.ts'
import { type OidcServer, startOidcServer } from '../support/oidc-server.ts'
import { P } from '../support/server.ts'

let app: ConsoleTest
let provider: OidcServer
before(async () => {
  provider = await startOidcServer({ nowMs: Date.now })
  app = await startConsole(
    {
      SIGN_UP: 'open',
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.client.id,
      OIDC_CLIENT_SECRET: provider.client.secret,
    },
    { owner: 'new' },
  )
})
after(async () => {
  await app[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

const organisation = 'Sign in with your organisation'

test('the owner sets the server up through the organisation', () =>
  app.open(
    '/sign-in',
    async (page) => {
      page.expected.push(/foreign request: http:\/\/127\.0\.0\.1:\d+\/authorize/)
      provider.person = { sub: 'owner', email: 'owner@example.com', email_verified: true }
      await page.goto(app.server.running.setupLink ?? '')
      await page.getByRole('button', { name: 'Continue with your organisation' }).waitFor()
      await assertSound(page)
      await page.getByRole('button', { name: 'Continue with your organisation' }).click()
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      await page.getByRole('button', { name: 'Account', exact: true }).click()
      await page.getByText('owner@example.com').first().waitFor()
    },
    { signedIn: false },
  ))

test('a person comes in through the organisation, out, and in again as the same', () =>
  app.open(
    '/tasks',
    async (page) => {
      // The provider is another host: the way there is the only request that leaves.
      page.expected.push(/foreign request: http:\/\/127\.0\.0\.1:\d+\/authorize/)
      const visits = provider.hits.get('/authorize') ?? 0
      provider.person = { sub: 'ada', email: 'ada@example.com', email_verified: true }
      await page.getByRole('link', { name: organisation }).waitFor()
      await assertSound(page)
      await page.getByRole('link', { name: organisation }).click()
      await page.getByRole('button', { name: 'Account', exact: true }).click()
      await page.getByText('ada@example.com').first().waitFor()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.getByRole('link', { name: organisation }).click()
      await page.getByRole('button', { name: 'Account', exact: true }).click()
      await page.getByText('ada@example.com').first().waitFor()
      assert.equal(provider.hits.get('/authorize'), visits + 2)
    },
    { signedIn: false },
  ))

test('an answer that cannot be trusted lets nobody in and says so', () =>
  app.open(
    '/sign-in',
    async (page) => {
      page.expected.push(/foreign request: http:\/\/127\.0\.0\.1:\d+\/authorize/)
      provider.spoil = (claims) => ({ ...claims, aud: 'somebody else' })
      await page.getByRole('link', { name: organisation }).click()
      await page.getByRole('alert').getByText('could not be verified').waitFor()
      await assertSound(page)
      const { session } = await page.evaluate(
        async (path) => (await (await fetch(`${path}/session`)).json()).data,
        consolePath,
      )
      assert.equal(session, null)
    },
    { signedIn: false },
  ))

test('an app that asks for access: the person signs in, decides, and ends it again', async (t) => {
  const receiver = createServer((_request, response) => response.end('connected'))
  await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve))
  t.after(() => receiver.close())
  const redirectUri = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/callback`
  const clientId = await registerApp(app.server, { client_name: 'Drawing board' })
  const given = { clientId, verifier: newVerifier(), redirect_uri: redirectUri }
  await app.open(
    '/sign-in',
    async (page) => {
      page.expected.push(/foreign request: http:\/\/127\.0\.0\.1:\d+\/(authorize|callback|favicon)/)
      provider.spoil = (claims) => claims
      provider.person = { sub: 'grace', email: 'grace@example.com', email_verified: true }
      await page.goto(authorizeAddress(app.server, given))
      await page.getByText('An app is asking for access').waitFor()
      await assertSound(page)
      await page.getByRole('link', { name: organisation }).click()
      await page.getByRole('heading', { name: 'Connect Drawing board?' }).waitFor()
      await assertSound(page)
      await page.getByLabel('Start and cancel runs').uncheck()
      await page.getByRole('button', { name: 'Connect' }).click()
      await page.waitForURL(`${redirectUri}?code=**`)
      const { searchParams } = new URL(page.url())
      assert.equal(searchParams.get('iss'), app.server.url)
      const { body } = await exchange(app.server, {
        ...given,
        code: searchParams.get('code') ?? '',
      })
      assert.doesNotMatch(body.scope, /runs:write/)
      await page.goto(`${app.server.url}/console/developer/connect`)
      await page.getByRole('button', { name: 'Disconnect Drawing board' }).click()
      await assertSound(page)
      await page.getByRole('button', { name: 'Disconnect', exact: true }).click()
      await page.getByText('None yet.').waitFor()
      const call = { path: `${P}/models`, key: body.access_token }
      assert.equal((await app.server.call(call)).status, 401)
    },
    { signedIn: false },
  )
})
