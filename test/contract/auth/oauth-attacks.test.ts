// What somebody tries who has a part of what an app needs: a code, an old token, another client, a
// page of their own. Each ends without access, and where a secret must have leaked, for everybody.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { signUp } from '../../support/console.ts'
import {
  agree,
  authorizeAddress,
  callback,
  connectApp,
  exchange,
  manyAddresses,
  newVerifier,
  openConsent,
  post,
  refresh,
  registerApp,
  sendConsent,
} from '../../support/oauth.ts'
import { type Answer, P, type TestServer } from '../../support/server.ts'
import { at, dataOf, onBothDatabases, refusedAs } from '../console/setting.ts'

const refusal = (answer: Answer, error: string, status = 400) =>
  assert.deepEqual([answer.status, answer.body?.error], [status, error], answer.text)

const models = (server: TestServer, key: string) => server.call({ path: `${P}/models`, key })

const lives = async (server: TestServer, key: string) => {
  const answer = await models(server, key)
  assert.equal(answer.status, 200, answer.text)
}
const isDead = async (server: TestServer, key: string) =>
  refusedAs(await models(server, key), 401, 'INVALID_CREDENTIAL')

onBothDatabases(
  'OAuth',
  (on) => {
    describe('codes', () => {
      const newCode = async () => {
        const [clientId, verifier] = [await registerApp(on.server), newVerifier()]
        const answer = await agree(on.owner, authorizeAddress(on.server, { clientId, verifier }))
        return { clientId, verifier, code: answer.get('code') ?? '' }
      }

      test('a code used twice gives nothing, and ends what it gave', async () => {
        const app = await connectApp(on.server, on.owner)
        await lives(on.server, app.access)
        refusal(await exchange(on.server, app), 'invalid_grant')
        await isDead(on.server, app.access)
        refusal(await refresh(on.server, { ...app, token: app.refresh }), 'invalid_grant')
      })

      test('of many exchanges at the same time one wins, and the code is found out', async () => {
        const given = await newCode()
        const answers = await Promise.all([1, 2, 3, 4].map(() => exchange(on.server, given)))
        const won = answers.filter(({ status }) => status === 200)
        assert.equal(won.length, 1)
        await isDead(on.server, won[0]?.body.access_token)
      })

      test('a code is of use only to its client, with its verifier and its redirect URI', async () => {
        const given = await newCode()
        const other = await registerApp(on.server)
        refusal(await exchange(on.server, { ...given, clientId: other }), 'invalid_grant')
        refusal(await exchange(on.server, { ...given, verifier: newVerifier() }), 'invalid_grant')
        refusal(await exchange(on.server, { ...given, verifier: 'short' }), 'invalid_grant')
        const elsewhere = { ...given, redirect_uri: `${callback}/more` }
        refusal(await exchange(on.server, elsewhere), 'invalid_grant')
        const wrongResource = { ...given, resource: 'https://other.example/mcp' }
        refusal(await exchange(on.server, wrongResource), 'invalid_target')
        refusal(
          await exchange(on.server, { ...given, grant_type: 'password' }),
          'unsupported_grant_type',
        )
        refusal(await exchange(on.server, { ...given, code: 'made-up' }), 'invalid_grant')
        // None of these attempts used it up.
        assert.equal((await exchange(on.server, given)).status, 200)
      })

      test('an unknown client learns that it is unknown', async () => {
        const given = await newCode()
        refusal(await exchange(on.server, { ...given, clientId: 'gone' }), 'invalid_client', 401)
      })
    })

    describe('refresh tokens', () => {
      test('each works once; one used again ends the connection for everybody', async () => {
        const app = await connectApp(on.server, on.owner)
        const second = await refresh(on.server, { ...app, token: app.refresh })
        assert.equal(second.status, 200, second.text)
        const third = await refresh(on.server, { ...app, token: second.body.refresh_token })
        assert.equal(third.status, 200, third.text)
        await lives(on.server, third.body.access_token)
        refusal(await refresh(on.server, { ...app, token: app.refresh }), 'invalid_grant')
        await isDead(on.server, third.body.access_token)
        const latest = { ...app, token: third.body.refresh_token }
        refusal(await refresh(on.server, latest), 'invalid_grant')
      })

      test('a made-up second half ends the connection, a made-up first half ends nothing', async () => {
        const app = await connectApp(on.server, on.owner)
        const [family = '', second = ''] = app.refresh.split('.')
        for (const token of [`${newVerifier()}.${second}`, 'x', '', `${family}${second}`]) {
          const { status } = await refresh(on.server, { ...app, token })
          assert.equal(status, 400)
        }
        await lives(on.server, app.access)
        refusal(
          await refresh(on.server, { ...app, token: `${family}.${newVerifier()}` }),
          'invalid_grant',
        )
        await isDead(on.server, app.access)
      })

      test('is of no use to another client, and cannot get more than was granted', async () => {
        const app = await connectApp(on.server, on.owner, { scope: 'models:read runs:read' })
        assert.equal(app.scope, 'models:read runs:read')
        const other = await registerApp(on.server)
        refusal(await refresh(on.server, { token: app.refresh, clientId: other }), 'invalid_grant')
        const more = { ...app, token: app.refresh, scope: 'models:read chat:write' }
        refusal(await refresh(on.server, more), 'invalid_scope')
        const wrongResource = { ...app, token: app.refresh, resource: `${on.server.url}/other` }
        refusal(await refresh(on.server, wrongResource), 'invalid_target')
        const less = await refresh(on.server, { ...app, token: app.refresh, scope: 'models:read' })
        assert.equal(less.body.scope, 'models:read')
        const runs = await on.server.call({ path: `${P}/workflows`, key: less.body.access_token })
        refusedAs(runs, 403, 'INSUFFICIENT_SCOPE')
      })

      test('are revoked with the access token, by their own client alone', async () => {
        const app = await connectApp(on.server, on.owner)
        const { body } = await post(on.server, '/oauth/revoke', {
          token: app.access,
          client_id: await registerApp(on.server),
        })
        assert.deepEqual(body, {})
        await lives(on.server, app.access)
        await post(on.server, '/oauth/revoke', { token: app.access, client_id: app.clientId })
        await isDead(on.server, app.access)
      })
    })

    describe('the page of consent', () => {
      const show = async (parameters: Record<string, string> = {}) => {
        const verifier = newVerifier()
        const clientId = parameters.client_id ?? (await registerApp(on.server))
        const given = { clientId, verifier, ...parameters }
        return openConsent(on.owner, authorizeAddress(on.server, given))
      }

      test('grants what was asked for and left checked, never more', async () => {
        const { sealed, scopes } = await show({ scope: 'models:read chat:write profile' })
        assert.deepEqual(scopes, ['models:read', 'chat:write'])
        const none = await sendConsent(on.owner, { sealed, scopes: ['runs:write'] })
        assert.equal(none.status, 400)
        assert.match(none.text, /Choose at least one/)
        const app = await connectApp(on.server, on.owner, {
          scope: 'models:read chat:write',
          choose: () => ['models:read', 'workflows:write'],
        })
        assert.equal(app.scope, 'models:read')
      })

      test('answering what runs wait for is offered only if it was named, and never ticked', async () => {
        assert.ok(!(await show()).scopes.includes('waits:answer'))
        const { page, scopes } = await show({ scope: 'runs:read waits:answer' })
        assert.deepEqual(scopes, ['runs:read', 'waits:answer'])
        assert.match(page.text, /value="runs:read" checked>/)
        assert.match(page.text, /value="waits:answer">/)
      })

      test('cannot be answered by a page of another site, or by another session', async () => {
        const { sealed, scopes } = await show()
        const foreign = await sendConsent(
          on.owner,
          { sealed, scopes },
          { origin: 'https://evil.example' },
        )
        refusedAs(foreign, 403, 'ORIGIN_NOT_ALLOWED')
        const hidden = await sendConsent(on.owner, { sealed, scopes }, { origin: 'null' })
        refusedAs(hidden, 403, 'ORIGIN_NOT_ALLOWED')
        const stranger = await sendConsent(on.stranger, { sealed, scopes })
        assert.equal(stranger.status, 400)
        const forged = await sendConsent(on.owner, { sealed: `${sealed.slice(0, -2)}AA`, scopes })
        assert.equal(forged.status, 400)
        assert.equal(forged.headers.location, undefined)
      })

      test('is not framed, not cached, and its form leads here and to the client alone', async () => {
        const { page } = await show()
        const policy = String(page.headers['content-security-policy'])
        assert.match(policy, /frame-ancestors 'none'/)
        assert.match(policy, /form-action 'self' http:\/\/127\.0\.0\.1:9876;/)
        assert.equal(page.headers['x-frame-options'], 'DENY')
        assert.equal(page.headers['cache-control'], 'no-store')
      })

      test('shows a name as text, and says who gets the access', async () => {
        const clientId = await registerApp(on.server, {
          client_name: '<script>alert(1)</script>\u202e',
          redirect_uris: ['https://app.example/back'],
        })
        const { page } = await show({
          client_id: clientId,
          redirect_uri: 'https://app.example/back',
        })
        assert.equal(page.status, 200, page.text)
        assert.ok(page.text.includes('&lt;script&gt;alert(1)'))
        assert.ok(!page.text.includes('\u202e'))
        assert.match(page.text, /Access will be given to <strong>app\.example<\/strong>/)
      })

      test('never leads to an address that the client did not register', async () => {
        const { page: unknown } = await show({ client_id: 'nobody' })
        const { page: elsewhere } = await show({ redirect_uri: 'https://evil.example/' })
        const { page: longer } = await show({ redirect_uri: `${callback}.evil.example` })
        const { page: path } = await show({ redirect_uri: `${callback}/../other` })
        for (const page of [unknown, elsewhere, longer, path]) {
          assert.deepEqual([page.status, page.headers.location], [400, undefined])
          assert.doesNotMatch(page.text, /href="(?!\/favicon)/)
        }
      })

      test('a program on this computer may come back at any port', async () => {
        const uri = 'http://127.0.0.1:51234/callback'
        const { page, sealed, scopes } = await show({ redirect_uri: uri })
        assert.equal(page.status, 200, page.text)
        const { headers } = await sendConsent(on.owner, { sealed, scopes })
        assert.ok(String(headers.location).startsWith(`${uri}?code=`))
      })

      test('what is wrong is reported to the client only when the person follows', async () => {
        const wrong: [Record<string, string>, string][] = [
          [{ response_type: 'token' }, 'unsupported_response_type'],
          [{ code_challenge_method: 'plain' }, 'invalid_request'],
          [{ code_challenge: 'short' }, 'invalid_request'],
          [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
          [{ scope: 'everything' }, 'invalid_scope'],
        ]
        for (const [parameters, error] of wrong) {
          const { page } = await show(parameters)
          assert.deepEqual([page.status, page.headers.location], [400, undefined])
          const back = /<a href="([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
          const { origin, searchParams } = new URL(back)
          assert.equal(origin, new URL(callback).origin)
          assert.deepEqual(
            [searchParams.get('error'), searchParams.get('state'), searchParams.get('iss')],
            [error, 'xyz', on.server.url],
          )
        }
      })

      test('a person who says no sends the app away without a code', async () => {
        const { sealed, scopes } = await show()
        const { headers } = await sendConsent(on.owner, { sealed, scopes, decision: 'deny' })
        const { searchParams } = new URL(String(headers.location))
        assert.deepEqual(
          [searchParams.get('error'), searchParams.get('code')],
          ['access_denied', null],
        )
      })

      test('a person who is not signed in signs in first, and the request is kept', async () => {
        const address = authorizeAddress(on.server, { clientId: 'x', verifier: newVerifier() })
        const { pathname, search } = new URL(address)
        const { status, headers } = await on.server.call({ path: pathname + search, key: null })
        assert.equal(status, 303)
        const location = new URL(String(headers.location), on.server.url)
        assert.equal(location.pathname, '/console/sign-in')
        assert.equal(location.searchParams.get('authorize'), search.slice(1))
      })
    })

    describe('connected apps', () => {
      test('are listed for their person alone, and disconnected by them alone', async () => {
        const app = await connectApp(on.server, on.owner, { scope: 'models:read' })
        const { items } = await dataOf(on.owner, '/connected-apps')
        const { id, connectedAt, lastUsedAt, ...shown } = items[0]
        assert.deepEqual(shown, {
          name: 'An app',
          clientId: app.clientId,
          receiver: 'a program on this computer',
          scopes: ['models:read'],
        })
        assert.deepEqual((await dataOf(on.stranger, '/connected-apps')).items, [])
        const call = { method: 'DELETE' }
        refusedAs(await at(on.stranger, `/connected-apps/${id}`, call), 404, 'RECORD_NOT_FOUND')
        await lives(on.server, app.access)
        assert.equal((await dataOf(on.owner, `/connected-apps/${id}`, call)).id, id)
        await isDead(on.server, app.access)
        refusal(await refresh(on.server, { ...app, token: app.refresh }), 'invalid_grant')
        const left = (await dataOf(on.owner, '/connected-apps')).items
        assert.ok(
          left.length === items.length - 1 && left.every((one: { id: string }) => one.id !== id),
        )
      })

      test('are gone when their person gets a new password by a recovery link', async () => {
        const person = await signUp(on.server)
        const app = await connectApp(on.server, person)
        const { session } = await dataOf(person, '/session')
        const { link } = await dataOf(person, '/recovery-links', {
          method: 'POST',
          json: { userId: session.user.id },
        })
        const token = new URL(link).hash.slice('#token='.length)
        const json = { token, password: 'another long password' }
        await dataOf(person, '/recover', { method: 'POST', json })
        refusal(await refresh(on.server, { ...app, token: app.refresh }), 'invalid_grant')
      })

      test('act for the person who connected them, and see nothing of others', async () => {
        const { access } = await connectApp(on.server, on.stranger)
        const answer = await on.server.call({ path: `${P}/workflows`, key: access })
        assert.equal(answer.body.data.total, 0)
      })
    })

    describe('registration', () => {
      const register = (metadata: object, from: string) =>
        on.server.call({
          method: 'POST',
          path: '/oauth/register',
          key: null,
          headers: { 'x-forwarded-for': from },
          json: metadata,
        })

      test('refuses addresses that a code must never be sent to', async () => {
        const refused = [
          'http://app.example/',
          'javascript://%0aalert(1)',
          'data:text/html,x',
          'file:///etc/passwd',
          'tel:112',
          'ms-settings:privacy',
          'myapp://callback',
          'a..b://callback',
          'https://user@app.example/',
          'https://app.example/#part',
          'https://app.example;script-src/',
          '/relative',
          `https://app.example/${'x'.repeat(2048)}`,
        ]
        for (const [index, uri] of refused.entries()) {
          const answer = await register({ redirect_uris: [uri] }, `192.0.2.${index}`)
          refusal(answer, 'invalid_redirect_uri')
        }
        refusal(await register({ redirect_uris: [] }, '192.0.2.100'), 'invalid_redirect_uri')
        refusal(await register([], '192.0.2.101'), 'invalid_client_metadata')
      })

      test('takes a few a minute from one address, and says when to come again', async () => {
        const metadata = { redirect_uris: ['cursor://anysphere.cursor/callback'] }
        const answers: Answer[] = []
        for (let n = 0; n < 11; n++) answers.push(await register(metadata, '198.51.100.7'))
        assert.deepEqual(
          answers.map(({ status }) => status),
          [...Array(10).fill(201), 429],
        )
        const last = answers.at(-1)
        assert.equal(last?.body.error, 'temporarily_unavailable')
        assert.ok(Number(last?.headers['retry-after']) > 0)
      })

      test('what fails before it is understood is answered in the words of OAuth too', async () => {
        const call = { method: 'POST', path: '/oauth/token', key: null }
        refusal(await on.server.call({ ...call, json: {} }), 'invalid_request', 415)
        const type = { 'content-type': 'application/x-www-form-urlencoded' }
        const large = { ...call, headers: type, body: 'x='.padEnd(20_000, 'y') }
        refusal(await on.server.call(large), 'invalid_request', 413)
        const twice = { ...call, headers: type, body: 'grant_type=a&grant_type=b' }
        refusal(await on.server.call(twice), 'invalid_request')
        refusal(await on.server.call({ ...call, headers: type, body: '' }), 'invalid_request')
      })
    })
  },
  manyAddresses,
)
