// Signing in through an organisation's OpenID provider, as a browser does it: there and back.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { consolePath } from '../support/console.ts'
import { assertSound, type ConsoleTest, startConsole } from '../support/console-browser.ts'
import { type OidcServer, startOidcServer } from '../support/oidc-server.ts'

let app: ConsoleTest
let provider: OidcServer
before(async () => {
  provider = await startOidcServer({ nowMs: Date.now })
  app = await startConsole({
    SIGN_UP: 'open',
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.client.id,
    OIDC_CLIENT_SECRET: provider.client.secret,
  })
})
after(async () => {
  await app[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

const organisation = 'Sign in with your organisation'

test('a person comes in through the organisation, out, and in again as the same', () =>
  app.open(
    '/tasks',
    async (page) => {
      // The provider is another host: the way there is the only request that leaves.
      page.expected.push(/foreign request: http:\/\/127\.0\.0\.1:\d+\/authorize/)
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
      assert.equal(provider.hits.get('/authorize'), 2)
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
      await page.getByRole('alert').getByText('could not be trusted').waitFor()
      await assertSound(page)
      const { session } = await page.evaluate(
        async (path) => (await (await fetch(`${path}/session`)).json()).data,
        consolePath,
      )
      assert.equal(session, null)
    },
    { signedIn: false },
  ))
