// The addresses by which somebody without an account answers: a page for people, and one for
// machines.
import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { createAccountLimit } from '#auth/rate-limit.ts'
import type { VerifyConfig } from '#core/verify-config.ts'
import { createPathTable } from '#http/path-table.ts'
import { createServer } from '#http/server.ts'
import { callbackPath, mountCallbacks } from '#http/waits/callback-route.ts'
import { linkPath, mountLinkPage } from '#http/waits/link-routes.ts'
import type { Db } from '#store/db.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { migrations } from './setting.ts'
import { type Account, closeTools, openAccount } from './waiting.ts'

const baseUrl = 'http://127.0.0.1'
const formType = 'application/x-www-form-urlencoded'
/** As a browser sends it from a page without a referrer. */
const ownPage = { origin: 'null', 'sec-fetch-site': 'same-origin', 'content-type': formType }

const form = {
  type: 'object',
  additionalProperties: false,
  properties: {
    rating: { type: 'integer', minimum: 1, maximum: 5, title: 'How <good>?' },
    tone: { enum: ['warm', 'cold'] },
    urgent: { type: 'boolean' },
    note: { type: 'string' },
  },
  required: ['rating'],
}

let database: TestDatabase
let db: Db
let on: Account
const logged: unknown[] = []

const openApp = () => {
  const app = createServer({
    paths: createPathTable([], [callbackPath, linkPath]),
    allowedOrigins: new Set(),
    trustProxy: false,
    receiptTimeoutMs: 60_000,
    observer: { finished: () => {}, failed: (error) => logged.push(error) },
    requestLog: { level: () => 'all', write: (entry) => logged.push(entry) },
    phase: () => 'serving',
    descriptorLimit: 1_000,
  })
  const perToken = createAccountLimit({ clock: on.clock, name: 'wait', quota: 12 })
  const deps = { services: on.services, perToken, countAddress: () => null }
  mountCallbacks(app, deps)
  mountLinkPage(app, deps)
  return app
}
let app: ReturnType<typeof openApp>

before(async () => {
  const [sqlite] = databases
  assert.ok(sqlite)
  database = await sqlite.open({ migrations })
  db = database.db
  on = await openAccount(db)
  app = openApp()
})
after(async () => {
  await app.close()
  await closeTools()
  await database.close()
})

const answerOf = async (waitId: string) => {
  const [row] = await db.query<{ status: string; answer: string | null; answered_from: string }>(
    `select status, answer, answered_by, answered_from from waits where id = $1`,
    [waitId],
  )
  assert.ok(row)
  return { ...row, answer: row.answer === null ? null : JSON.parse(row.answer) }
}

describe('the page of a link', () => {
  const linkOf = (waitId: string) =>
    on.services.waits.tokens.urlOf('link', waitId).slice(baseUrl.length)
  const nonceOf = (html: string) => /name="nonce" value="([^"]+)"/.exec(html)?.[1] ?? ''
  const decide = (url: string, fields: Record<string, string>, headers: object = ownPage) =>
    app.inject({
      method: 'POST',
      url,
      headers: { ...headers },
      payload: new URLSearchParams(fields).toString(),
    })

  test('shows title, subject and form without scripts, and is neither kept nor indexed', async () => {
    const { waitId } = await on.addWait({ link: true, form, title: 'Is <b>this</b> fine?' })
    const { statusCode, headers, body } = await app.inject(linkOf(waitId))
    assert.equal(statusCode, 200)
    for (const shown of ['Is &lt;b&gt;this&lt;/b&gt; fine?', 'draft', 'How &lt;good&gt;?']) {
      assert.ok(body.includes(shown), shown)
    }
    assert.ok(!body.includes('<script'))
    assert.ok(!body.includes('/console'), 'it leads nowhere else')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.match(String(headers['x-robots-tag']), /noindex/)
    assert.match(String(headers['content-security-policy']), /script-src 'none'/)
    assert.equal(headers['set-cookie'], undefined)
  })

  test('reading it never decides: a mail scanner may open it as often as it likes', async () => {
    const { waitId } = await on.addWait({ link: true })
    for (const method of ['GET', 'HEAD', 'GET'] as const) {
      const { statusCode } = await app.inject({ method, url: `${linkOf(waitId)}?decision=approve` })
      assert.equal(statusCode, 200)
    }
    assert.equal((await answerOf(waitId)).status, 'OPEN')
  })

  test('its form decides once, and the link is dead from then on', async () => {
    const { waitId } = await on.addWait({ link: true, form })
    const url = linkOf(waitId)
    const nonce = nonceOf((await app.inject(url)).body)
    const fields = { nonce, 'r.rating': '4', 'r.tone': 'warm', 'r.urgent': 'on', 'r.note': '' }
    const sent = await decide(url, { ...fields, decision: 'approve' })
    assert.equal(sent.statusCode, 200)
    assert.match(sent.body, /Thank you[\s\S]*You can close this page/)
    const stored = await answerOf(waitId)
    const response = { rating: 4, tone: 'warm', urgent: true }
    assert.deepEqual(stored.answer, { decision: 'approve', response })
    assert.equal(stored.answered_from, '127.0.0.1')
    const late = await app.inject(url)
    assert.equal(late.statusCode, 410)
    assert.match(late.body, /has been answered/)
    assert.ok(!late.body.includes('draft'), 'the subject is not shown any more')
    const other = await decide(url, { nonce, decision: 'reject' })
    assert.equal(other.statusCode, 410)
  })

  test('an answer that does not fit is shown again with what was filled in', async () => {
    const { waitId } = await on.addWait({ link: true, form })
    const url = linkOf(waitId)
    const nonce = nonceOf((await app.inject(url)).body)
    const refused = await decide(url, {
      nonce,
      'r.rating': '9',
      'r.note': 'a "b"',
      decision: 'approve',
    })
    assert.equal(refused.statusCode, 422)
    assert.match(refused.body, /role="alert">rating/)
    assert.match(refused.body, /value="a &quot;b&quot;"/)
    assert.equal((await answerOf(waitId)).status, 'OPEN')
    const none = await decide(url, { nonce, 'r.rating': '3' })
    assert.equal(none.statusCode, 422)
    const rejected = await decide(url, { nonce, decision: 'reject' })
    assert.equal(rejected.statusCode, 200)
    assert.deepEqual((await answerOf(waitId)).answer, { decision: 'reject' })
  })

  test('a decision from another page, or without the nonce of this one, is refused', async () => {
    const { waitId } = await on.addWait({ link: true })
    const url = linkOf(waitId)
    const nonce = nonceOf((await app.inject(url)).body)
    const other = await on.addWait({ link: true })
    const cases = [
      [{ nonce }, { ...ownPage, 'sec-fetch-site': 'cross-site' }],
      [{ nonce }, { 'content-type': formType, origin: 'https://evil.example' }],
      [{ nonce }, { 'content-type': formType, origin: 'null' }],
      [{ nonce }, { 'content-type': formType }],
      [{}, ownPage],
      [{ nonce: on.services.waits.tokens.nonceOf(other.waitId) }, ownPage],
    ] as const
    for (const [fields, headers] of cases) {
      const { statusCode } = await decide(url, { ...fields, decision: 'approve' }, headers)
      assert.equal(statusCode, 403, JSON.stringify([fields, headers]))
    }
    assert.equal((await answerOf(waitId)).status, 'OPEN')
    const older = { 'content-type': formType, origin: baseUrl }
    assert.equal((await decide(url, { nonce, decision: 'approve' }, older)).statusCode, 200)
  })

  test('whether a link has expired is decided by the clock of the database, before the answer', async () => {
    const { waitId } = await on.addWait({ link: true, form, expires_at: Date.now() })
    assert.ok(on.clock.nowMs() < Date.now() - 1_000, 'by its own clock it has not')
    const url = linkOf(waitId)
    assert.equal((await app.inject(url)).statusCode, 410)
    const nonce = on.services.waits.tokens.nonceOf(waitId)
    for (const given of ['', 'approve']) {
      const late = await decide(url, { nonce, decision: given, 'r.rating': '9' })
      assert.deepEqual([late.statusCode, /has expired/.test(late.body)], [410, true])
    }
  })

  test('expired, ended and unknown links say so', async () => {
    const expired = await on.addWait({ link: true, expires_at: on.clock.at })
    const ended = await on.addWait({ link: true })
    await db.write(`update waits set status = 'CANCELLED' where id = $1`, [ended.waitId])
    const unlinked = await on.addWait()
    const callback = await on.addWait({ kind: 'CALLBACK' })
    const token = on.services.waits.tokens.urlOf('callback', callback.waitId).slice(-64)
    for (const [url, status, words] of [
      [linkOf(expired.waitId), 410, /has expired/],
      [linkOf(ended.waitId), 410, /No answer is needed/],
      [linkOf(unlinked.waitId), 404, /not known/],
      [`/w/${token}`, 404, /not known/],
      [`/w/${'A'.repeat(64)}`, 404, /not known/],
      ['/w/short', 404, /not known/],
    ] as const) {
      const { statusCode, body } = await app.inject({ url, headers: { accept: 'text/html' } })
      assert.deepEqual([statusCode, words.test(body)], [status, true], url)
    }
  })

  test('a token is tried only so often', async () => {
    const { waitId } = await on.addWait({ link: true })
    const statuses = []
    for (let i = 0; i < 13; i++) statuses.push((await app.inject(linkOf(waitId))).statusCode)
    assert.deepEqual(statuses.slice(-2), [200, 429])
  })

  test('forms of any size but a form are refused', async () => {
    const { waitId } = await on.addWait({ link: true })
    const url = linkOf(waitId)
    const nonce = nonceOf((await app.inject(url)).body)
    const big = await decide(url, { nonce, decision: 'approve', x: 'x'.repeat(20_000) })
    assert.equal(big.statusCode, 413)
    const headers = { ...ownPage, 'content-type': 'application/json' }
    const json = await app.inject({ method: 'POST', url, headers, payload: '{}' })
    assert.equal(json.statusCode, 415)
  })
})

describe('the address of a callback', () => {
  const addressOf = (waitId: string) =>
    on.services.waits.tokens.urlOf('callback', waitId).slice(baseUrl.length)
  const send = (waitId: string, payload: string | Buffer, headers: object = {}) =>
    app.inject({
      method: 'POST',
      url: addressOf(waitId),
      headers: { 'content-type': 'application/json', ...headers },
      payload,
    })
  const callback = { kind: 'CALLBACK', title: '' } as const

  test('the first body wins; the same again is a replay, another is late', async () => {
    const { waitId } = await on.addWait(callback)
    const first = await send(waitId, '{"job": 7, "ok": true}')
    assert.deepEqual(first.json().data, { accepted: true, idempotentReplay: false })
    assert.deepEqual((await answerOf(waitId)).answer, { response: { job: 7, ok: true } })
    const again = await send(waitId, '{"ok":true,"job":7}')
    assert.deepEqual([again.statusCode, again.json().data.idempotentReplay], [200, true])
    const other = await send(waitId, '{"job":8}')
    assert.deepEqual([other.statusCode, other.json().error.code], [409, 'WAIT_ALREADY_ANSWERED'])
  })

  test('a body must be signed as the node says, before anything reads it', async () => {
    const verify: VerifyConfig = { method: 'github', credentials: ['hook'] }
    const { waitId } = await on.addWait({ ...callback, verify })
    const body = '{"a" : 1}'
    const sign = (text: string) =>
      `sha256=${createHmac('sha256', 'secret').update(text).digest('hex')}`
    for (const [payload, headers] of [
      [body, {}],
      [body, { 'x-hub-signature-256': sign('{"a":1}') }],
      ['not json', { 'x-hub-signature-256': sign('other') }],
    ] as const) {
      const { statusCode, json } = await send(waitId, payload, headers)
      assert.deepEqual([statusCode, json().error.code], [401, 'SIGNATURE_INVALID'])
    }
    const bad = await send(waitId, 'not json', { 'x-hub-signature-256': sign('not json') })
    assert.deepEqual([bad.statusCode, bad.json().error.code], [400, 'INVALID_JSON'])
    assert.equal((await answerOf(waitId)).status, 'OPEN')
    const good = await send(waitId, body, { 'x-hub-signature-256': sign(body) })
    assert.equal(good.statusCode, 200)
  })

  test('a body that does not fit the schema leaves the wait open', async () => {
    const schema = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } }
    const { waitId } = await on.addWait({ ...callback, schema })
    const refused = await send(waitId, '{"id":1}')
    assert.deepEqual([refused.statusCode, refused.json().error.code], [422, 'ANSWER_INVALID'])
    assert.equal((await send(waitId, '{"id":"x"}')).statusCode, 200)
  })

  test('null is a body like any other: an object is another, and only where it fits is it taken', async () => {
    const { waitId } = await on.addWait({ ...callback, schema: { type: 'object' } })
    const refused = await send(waitId, 'null')
    assert.deepEqual([refused.statusCode, refused.json().error.code], [422, 'ANSWER_INVALID'])
    assert.equal((await send(waitId, '{"id":"x"}')).statusCode, 200)
    const empty = await on.addWait({ ...callback, schema: { type: 'null' } })
    assert.equal((await send(empty.waitId, 'null')).statusCode, 200)
    assert.deepEqual((await answerOf(empty.waitId)).answer, { response: null })
  })

  test('any content type is read as JSON; what is too large, packed or no JSON is refused', async () => {
    const { waitId } = await on.addWait(callback)
    const big = JSON.stringify({ text: 'x'.repeat(1024 * 1024) })
    for (const type of ['application/json', 'text/plain']) {
      const { statusCode } = await send(waitId, big, { 'content-type': type })
      assert.equal(statusCode, 413, type)
    }
    const packed = await send(waitId, randomBytes(10), { 'content-encoding': 'gzip' })
    assert.equal(packed.statusCode, 415)
    assert.equal((await send(waitId, '')).statusCode, 400)
    assert.equal((await send(waitId, '{"__proto__":{}}')).statusCode, 400)
    assert.equal((await send(waitId, '"plain"', { 'content-type': 'text/plain' })).statusCode, 200)
    assert.deepEqual((await answerOf(waitId)).answer, { response: 'plain' })
  })

  test('only POST is served, and expired, ended and forged addresses say so', async () => {
    const { waitId } = await on.addWait({ ...callback, expires_at: on.clock.at })
    assert.equal((await send(waitId, '{}')).json().error.code, 'WAIT_EXPIRED')
    assert.equal((await app.inject(addressOf(waitId))).statusCode, 405)
    const strict = { ...callback, schema: { type: 'array' }, expires_at: on.clock.at }
    const unfit = await on.addWait(strict)
    assert.equal((await send(unfit.waitId, '{}')).json().error.code, 'WAIT_EXPIRED')
    const url = addressOf(waitId)
    const forged = `${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`
    const headers = { 'content-type': 'application/json' }
    const refused = await app.inject({ method: 'POST', url: forged, headers, payload: '{}' })
    assert.deepEqual([refused.statusCode, refused.json().error.code], [404, 'WAIT_NOT_FOUND'])
    const ended = await on.addWait(callback)
    await db.write(`update runs set completed_at = 1 where id = $1`, [ended.runId])
    assert.equal((await send(ended.waitId, '{}')).json().error.code, 'WAIT_CANCELLED')
  })
})

test('no token was logged or stored by any of this', async () => {
  const waits = await db.query<{ id: string }>('select id from waits')
  const { tokens } = on.services.waits
  const rows = await db.query('select * from waits')
  const audit = await db.query('select * from audit_entries')
  const text = JSON.stringify([logged, rows, audit])
  assert.ok(logged.length > 20)
  for (const { id } of waits) {
    for (const use of ['link', 'callback'] as const) {
      assert.ok(!text.includes(tokens.urlOf(use, id).slice(-64)))
    }
  }
})
