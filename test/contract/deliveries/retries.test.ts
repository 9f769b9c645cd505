import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { type Reply, startReceiver } from './receiver.ts'
import { afterAttempts, endRun, openSetting, until } from './setting.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const scheduleMs = [
  5_000,
  5 * minuteMs,
  30 * minuteMs,
  ...[2, 5, 10, 14, 20, 24].map((h) => h * hourMs),
]

for (const { name, open } of databases) {
  describe(`webhook retries on ${name}`, () => {
    test('a failure is tried again after its wait, not before, under the same identifier', async () => {
      await using setting = await openSetting(open)
      await using receiver = await startReceiver()
      const { db, accountId } = setting
      receiver.script({ status: 500 })
      const first = await endRun(db, { accountId, callbackUrl: receiver.url })
      const failed = await afterAttempts(db, accountId, 1)
      assert.deepEqual(
        [failed.status, failed.last_status_code, failed.last_error],
        ['PENDING', 500, 'The receiver answered 500.'],
      )
      setting.pass(4_499)
      // A newer run overtakes it: the worker looked, and left the waiting one alone.
      const second = await endRun(db, { accountId, callbackUrl: receiver.url })
      await receiver.arrived(2)
      setting.pass(1_002)
      await receiver.arrived(3)
      const order = receiver.received.map(({ body }) => JSON.parse(body).data.runId)
      assert.deepEqual(order, [first.runId, second.runId, first.runId])
      const [one, , three] = receiver.received
      assert.equal(one?.headers['webhook-id'], three?.headers['webhook-id'])
      assert.equal(one?.body, three?.body)
      assert.notEqual(one?.headers['webhook-timestamp'], three?.headers['webhook-timestamp'])
      const delivered = await until(async () => {
        const [row] = await db.query<{ status: string; attempts: number; last_error: null }>(
          `select status, attempts, last_error from deliveries where id = $1 and attempts = 2`,
          [failed.id],
        )
        return row
      })
      assert.deepEqual({ ...delivered }, { status: 'DELIVERED', attempts: 2, last_error: null })
    })

    test('ten attempts follow the schedule; then the delivery has failed for good', async () => {
      await using setting = await openSetting(open)
      await using receiver = await startReceiver()
      const { db, accountId } = setting
      receiver.always({ status: 500 })
      await endRun(db, { accountId, callbackUrl: receiver.url })
      for (const [attempt, waitMs] of scheduleMs.entries()) {
        const row = await afterAttempts(db, accountId, attempt + 1)
        const planned = (row.retry_at ?? 0) - setting.clock.at
        assert.ok(Math.abs(planned - waitMs) <= waitMs / 10, `${attempt + 1}: ${planned} ms`)
        setting.pass(planned)
      }
      const last = await afterAttempts(db, accountId, 10)
      assert.deepEqual([last.status, last.retry_at], ['FAILED', null])
      assert.equal(last.completed_at, setting.clock.at)
      assert.equal(receiver.received.length, 10)
      assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
    })

    const asksForTime: [string, Reply, number | null][] = [
      ['429 with seconds', { status: 429, headers: { 'retry-after': '600' } }, 600_000],
      ['503 with seconds', { status: 503, headers: { 'retry-after': '7200' } }, 2 * hourMs],
      ['a week', { status: 503, headers: { 'retry-after': '604800' } }, 24 * hourMs],
      ['less than the schedule', { status: 429, headers: { 'retry-after': '1' } }, null],
      ['nonsense', { status: 429, headers: { 'retry-after': 'soon' } }, null],
      ['500, which may not ask', { status: 500, headers: { 'retry-after': '600' } }, null],
    ]
    for (const [what, reply, expectedMs] of asksForTime) {
      test(`Retry-After of ${what} is ${expectedMs === null ? 'no reason to deviate' : 'kept'}`, async () => {
        await using setting = await openSetting(open)
        await using receiver = await startReceiver()
        const { db, accountId, clock } = setting
        receiver.always(reply)
        await endRun(db, { accountId, callbackUrl: receiver.url })
        const row = await afterAttempts(db, accountId, 1)
        const waitMs = (row.retry_at ?? 0) - clock.at
        if (expectedMs === null) assert.ok(waitMs >= 4_500 && waitMs <= 5_500, `${waitMs} ms`)
        else assert.equal(waitMs, expectedMs)
      })
    }

    test('Retry-After may be a date', async () => {
      await using setting = await openSetting(open)
      await using receiver = await startReceiver()
      const { db, accountId, clock } = setting
      clock.at = Math.floor(clock.at / 1_000) * 1_000
      const [date, until] = [new Date(clock.at), new Date(clock.at + hourMs)]
      // Its own clock, because a date is read by the clock of its sender.
      receiver.always({
        status: 503,
        headers: { 'retry-after': until.toUTCString(), date: date.toUTCString() },
      })
      await endRun(db, { accountId, callbackUrl: receiver.url })
      const row = await afterAttempts(db, accountId, 1)
      assert.equal(row.retry_at, clock.at + hourMs)
    })

    test('410 ends the delivery: the receiver wants no more', async () => {
      await using setting = await openSetting(open)
      await using receiver = await startReceiver()
      const { db, accountId } = setting
      receiver.always({ status: 410 })
      await endRun(db, { accountId, callbackUrl: receiver.url })
      const row = await afterAttempts(db, accountId, 1)
      assert.deepEqual(
        [row.status, row.last_status_code, row.retry_at, row.completed_at],
        ['DISABLED', 410, null, setting.clock.at],
      )
    })

    test('a redirect is a failure and nobody goes where it points', async () => {
      await using setting = await openSetting(open)
      await using receiver = await startReceiver()
      await using elsewhere = await startReceiver()
      const { db, accountId } = setting
      receiver.always({ status: 307, headers: { location: elsewhere.url } })
      await endRun(db, { accountId, callbackUrl: receiver.url })
      const row = await afterAttempts(db, accountId, 1)
      assert.deepEqual(
        [row.status, row.last_status_code, row.last_error],
        ['PENDING', 307, 'The receiver answered 307; redirects are not followed.'],
      )
      assert.equal(elsewhere.received.length, 0)
    })

    test('an address that must not be reached, a closed port and a cut connection are failures', async () => {
      await using setting = await openSetting(open)
      await using closed = await startReceiver()
      await using cut = await startReceiver()
      await closed[Symbol.asyncDispose]()
      cut.always('hang-up')
      const { db, accountId } = setting
      for (const url of ['http://169.254.169.254/latest', 'no address', closed.url, cut.url]) {
        await endRun(db, { accountId, callbackUrl: url })
        const row = await afterAttempts(db, accountId, 1)
        assert.deepEqual([row.status, row.last_status_code], ['PENDING', null], url)
        assert.ok(row.last_error && row.retry_at, url)
      }
      assert.deepEqual(setting.worker.errors, [])
    })

    test('a success with a huge, unwelcome answer is a success', async () => {
      await using setting = await openSetting(open)
      await using receiver = await startReceiver()
      const { db, accountId } = setting
      const body = Buffer.alloc(5_000_000, 'a')
      receiver.always({ status: 200, headers: { 'content-length': String(body.length) }, body })
      await endRun(db, { accountId, callbackUrl: receiver.url })
      const row = await afterAttempts(db, accountId, 1)
      assert.deepEqual([row.status, row.last_status_code], ['DELIVERED', 200])
    })

    test('a success whose answer cannot be decoded is a success', async () => {
      await using setting = await openSetting(open)
      await using receiver = await startReceiver()
      const { db, accountId } = setting
      for (const encoding of ['utf-8', 'gzip, gzip', 'gzip']) {
        const headers = { 'content-encoding': encoding }
        receiver.script({ status: 200, headers, body: 'thank you' })
        await endRun(db, { accountId, callbackUrl: receiver.url })
        const row = await afterAttempts(db, accountId, 1)
        assert.deepEqual([row.status, row.last_status_code], ['DELIVERED', 200], encoding)
      }
    })

    test('an error of our own is an attempt like any other: not tried for ever, and not lost', async () => {
      await using setting = await openSetting(open)
      await using receiver = await startReceiver()
      const { db, accountId } = setting
      // A secret nobody can open any more.
      await db.write(
        `insert into webhook_secrets (account_id, secret, rotated_at) values ($1, $2, 1)`,
        [accountId, new Uint8Array(60)],
      )
      await endRun(db, { accountId, callbackUrl: receiver.url })
      const failed = await afterAttempts(db, accountId, 1)
      assert.deepEqual(
        [failed.status, failed.last_status_code, failed.last_error],
        ['PENDING', null, 'The delivery failed on this server.'],
      )
      assert.equal(setting.worker.errors.length, 1)
      await db.write(`delete from webhook_secrets where account_id = $1`, [accountId])
      setting.pass(5_500)
      const row = await afterAttempts(db, accountId, 2)
      assert.deepEqual([row.status, row.attempts], ['DELIVERED', 2])
    })
  })
}
