import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { createSessions, type Sessions } from '#auth/sessions.ts'
import { setAccountDisabled } from '#store/tables/accounts.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { baseUrl, counting, handClock, makePerson, migrations } from './setting.ts'

const device = { ipAddress: '192.0.2.1', userAgent: 'Firefox on Linux' }
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** What a browser sends back. */
const sent = (setCookie: string) => setCookie.split(';')[0]

for (const { name, open } of databases) {
  describe(`sessions on ${name}`, () => {
    let database: TestDatabase
    before(async () => {
      database = await open({ migrations })
    })
    after(() => database.close())

    async function setting() {
      const clock = handClock()
      const { db, asked } = counting(database.db)
      const person = await makePerson(db, clock.at)
      const sessions = createSessions({ db, clock, random: randomBytes, baseUrl })
      const cookie = sent(await sessions.start(db, { userId: person.userId }, device))
      return { clock, db, asked, person, sessions, cookie }
    }

    const isAlive = async (sessions: Sessions, cookie: string | undefined) =>
      (await sessions.resolve(cookie)) !== null

    test('the cookie is 256 bits, for this host only, out of reach of scripts', async () => {
      const { sessions, db, person } = await setting()
      assert.match(
        await sessions.start(db, { userId: person.userId }, device),
        /^__Host-session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; Secure; SameSite=Lax$/,
      )
    })

    test('a session is known by its cookie, and only its hash is stored', async () => {
      const { db, person, sessions, cookie } = await setting()
      const session = await sessions.resolve(`theme=dark; ${cookie}`)
      assert.equal(session?.userId, person.userId)
      assert.equal(session?.accountId, person.accountId)
      const rows = await db.query<object>('select * from sessions')
      assert.equal(JSON.stringify(rows).includes(cookie?.split('=')[1] ?? '?'), false)
    })

    test('a session that is used stays, one idle for 12 h ends', async () => {
      const { clock, sessions, cookie } = await setting()
      for (let i = 0; i < 4; i++) {
        clock.at += 12 * hourMs - 1
        assert.equal(await isAlive(sessions, cookie), true)
      }
      clock.at += 12 * hourMs
      assert.equal(await isAlive(sessions, cookie), false)
    })

    test('no session lives longer than 7 days', async () => {
      const { clock, sessions, cookie } = await setting()
      const endMs = clock.at + 7 * dayMs
      while (clock.at < endMs - hourMs) {
        clock.at += hourMs
        assert.equal(await isAlive(sessions, cookie), true)
      }
      clock.at = endMs
      assert.equal(await isAlive(sessions, cookie), false)
    })

    test('steady use writes once a minute at most', async () => {
      const { clock, asked, sessions, cookie } = await setting()
      asked.writes = 0
      for (let second = 0; second < 120; second++) {
        clock.at += 1_000
        await sessions.resolve(cookie)
      }
      // For the session and for its user.
      assert.equal(asked.writes, 2 * 2)
    })

    test('signing out ends the session and removes the cookie', async () => {
      const { sessions, cookie } = await setting()
      const session = await sessions.resolve(cookie)
      assert.match(
        await sessions.end(session, '192.0.2.1'),
        /^__Host-session=; Path=\/; Max-Age=0;/,
      )
      assert.equal(await isAlive(sessions, cookie), false)
    })

    test('anything that is not a token of ours is nobody, without asking the database', async () => {
      const { asked, sessions, cookie } = await setting()
      asked.reads = 0
      const made = [undefined, '', 'session=x', '__Host-session=', `${cookie}x`, `x${cookie}`]
      for (const header of made) assert.equal(await sessions.resolve(header), null, String(header))
      assert.equal(asked.reads, 0)
      const other = `__Host-session=${randomBytes(32).toString('base64url')}`
      assert.equal(await sessions.resolve(other), null)
    })

    test('a session shows that its account is disabled', async () => {
      const { clock, db, person, sessions, cookie } = await setting()
      await setAccountDisabled(db, person.accountId, clock.at)
      assert.equal((await sessions.resolve(cookie))?.accountDisabled, true)
    })

    test('dead sessions leave the table when somebody signs in', async () => {
      const { clock, db, person, sessions, cookie } = await setting()
      clock.at += 365 * dayMs
      await sessions.start(db, { userId: person.userId }, device)
      const rows = await db.query('select user_id from sessions where user_id = $1', [
        person.userId,
      ])
      assert.equal(rows.length, 1)
      assert.equal(await isAlive(sessions, cookie), false)
    })
  })
}
