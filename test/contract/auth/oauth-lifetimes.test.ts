// What ends by itself: codes, connections that nobody uses, registrations, and everything of a
// person or an account that is gone.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { uuidV7 } from '#core/ids.ts'
import type { Db } from '#store/db.ts'
import { setAccountDisabled } from '#store/tables/accounts.ts'
import { removeMember, updateMember } from '#store/tables/members.ts'
import { deleteUnusedOAuthClients, readOAuthClient } from '#store/tables/oauth-clients.ts'
import { insertOAuthGrant, listOAuthGrants } from '#store/tables/oauth-grants.ts'
import { databases } from '../../support/databases.ts'
import { openApps, redirectUri } from './apps.ts'
import {
  type HandClock,
  handClock,
  makePerson,
  migrations,
  type Person,
  startProcess,
  verified,
} from './setting.ts'

const dayMs = 24 * 3_600_000

async function openSetting(open: (typeof databases)[number]['open']) {
  const { db, close } = await open({ migrations })
  const clock = handClock()
  const process = await startProcess(db, clock)
  const apps = openApps(db, clock, process)
  return { db, clock, verifier: process.verifier, ...apps, [Symbol.asyncDispose]: close }
}

const hundred = { maxPerUser: 100 }
const someGrant = (person: Person, { nowMs }: HandClock) => ({
  ...person,
  id: uuidV7(nowMs()),
  clientId: 'x',
  clientName: 'x',
  redirectUri,
  scopes: [],
  familyHash: randomBytes(9).toString('hex'),
  refreshHash: 'x',
  nowMs: nowMs(),
  expiresAtMs: nowMs() + dayMs,
})

const refused = { name: 'OAuthError', code: 'invalid_grant' }
const grantsOf = (db: Db, clock: HandClock, person: Person) =>
  listOAuthGrants(db, { ...person, nowMs: clock.nowMs() })

for (const { name, open } of databases) {
  describe(`what ends by itself (${name})`, () => {
    test('a code after a minute, a connection after 30 days without use', async () => {
      await using on = await openSetting(open)
      const person = await makePerson(on.db, on.clock.nowMs())
      const late = await on.newCode(person)
      on.clock.at += 60_000
      await assert.rejects(on.exchange(late), refused)
      const app = await on.connect(person)
      on.clock.at += 29 * dayMs
      const next = { ...app, ...(await on.refresh(app)) }
      on.clock.at += 29 * dayMs
      const last = { ...next, ...(await on.refresh(next)) }
      on.clock.at += 30 * dayMs
      assert.deepEqual(await grantsOf(on.db, on.clock, person), [])
      await assert.rejects(on.refresh(last), refused)
    })

    test('a client that refreshes twice at once keeps its connection, one that comes later does not', async () => {
      await using on = await openSetting(open)
      const person = await makePerson(on.db, on.clock.nowMs())
      const app = await on.connect(person)
      const [one, other] = await Promise.all([on.refresh(app), on.refresh(app)])
      assert.equal(one.refresh_token, other.refresh_token)
      assert.notEqual(one.refresh_token, app.refresh_token)
      on.clock.at += 60_000
      const next = await on.refresh({ ...app, ...one })
      on.clock.at += 60_000
      // Not the same moment any more: somebody else has a copy.
      await assert.rejects(on.refresh({ ...app, ...one }), refused)
      await assert.rejects(on.refresh({ ...app, ...next }), refused)
      assert.deepEqual(await grantsOf(on.db, on.clock, person), [])
    })

    test('the connections of a disabled account, also once it is enabled again', async () => {
      await using on = await openSetting(open)
      const person = await makePerson(on.db, on.clock.nowMs())
      const app = await on.connect(person)
      await setAccountDisabled(on.db, person.accountId, on.clock.nowMs())
      await assert.rejects(on.refresh(app), refused)
      await on.db.write('update accounts set disabled_at = null where id = $1', [person.accountId])
      await assert.rejects(on.refresh(app), refused)
      assert.deepEqual(await grantsOf(on.db, on.clock, person), [])
    })

    test('what an app may do beyond the role of its person, when that becomes less', async () => {
      await using on = await openSetting(open)
      const person = await makePerson(on.db, on.clock.nowMs())
      const app = await on.connect(person, ['models:read', 'chat:write'])
      assert.equal(app.scope, 'models:read chat:write')
      const { userId } = person
      await on.db.write(`update users set role = 'viewer' where id = $1`, [userId])
      assert.equal((await on.refresh(app)).scope, 'models:read')
      const { scopes } = await verified(on.verifier, app.access_token)
      assert.deepEqual([...scopes], ['models:read'])
    })

    test('the connections of a person who is disabled, also once they are enabled again', async () => {
      await using on = await openSetting(open)
      const person = await makePerson(on.db, on.clock.nowMs())
      const [app, code] = [await on.connect(person), await on.newCode(person)]
      const change = (disabledAtMs: number | null) =>
        on.db.transaction((tx) => updateMember(tx, person, { role: 'owner', disabledAtMs }))
      await change(on.clock.nowMs())
      assert.deepEqual(await grantsOf(on.db, on.clock, person), [])
      await change(null)
      await assert.rejects(on.refresh(app), refused)
      await assert.rejects(on.exchange(code), refused)
      await assert.rejects(verified(on.verifier, app.access_token), { code: 'INVALID_CREDENTIAL' })
    })

    test('the connections of a person who is disabled while an app renews its token', async () => {
      await using on = await openSetting(open)
      const person = await makePerson(on.db, on.clock.nowMs())
      const app = await on.connect(person)
      await on.db.write('update users set disabled_at = 1 where id = $1', [person.userId])
      await assert.rejects(on.refresh(app), refused)
      assert.deepEqual(await grantsOf(on.db, on.clock, person), [])
    })

    test('the codes and connections of a person who is removed', async () => {
      await using on = await openSetting(open)
      const person = await makePerson(on.db, on.clock.nowMs())
      const [app, code] = [await on.connect(person), await on.newCode(person)]
      const nowMs = on.clock.nowMs()
      await on.db.transaction((tx) => removeMember(tx, { ...person, nowMs }))
      await assert.rejects(on.refresh(app), refused)
      await assert.rejects(on.exchange(code), refused)
      await assert.rejects(verified(on.verifier, app.access_token), { code: 'INVALID_CREDENTIAL' })
    })

    test('the connections used least recently, beyond a hundred', async () => {
      await using on = await openSetting(open)
      const person = await makePerson(on.db, on.clock.nowMs())
      const first = await on.connect(person)
      on.clock.at += 1_000
      const second = await on.connect(person)
      on.clock.at += 1_000
      await on.db.transaction(async (tx) => {
        for (let n = 0; n < 98; n++)
          await insertOAuthGrant(tx, someGrant(person, on.clock), hundred)
      })
      on.clock.at += 1_000
      const used = { ...first, ...(await on.refresh(first)) }
      await on.connect(person)
      assert.equal((await grantsOf(on.db, on.clock, person)).length, 100)
      await assert.rejects(on.refresh(second), refused)
      await on.refresh(used)
    })

    test('registrations that nobody connected in a day, and old ones without connection', async () => {
      await using on = await openSetting(open)
      const person = await makePerson(on.db, on.clock.nowMs())
      const clean = () =>
        deleteUnusedOAuthClients(on.db, {
          createdMs: on.clock.nowMs() - dayMs,
          connectedMs: on.clock.nowMs() - 90 * dayMs,
        })
      const unused = await on.clients.register({ redirect_uris: [redirectUri] })
      const app = await on.connect(person)
      on.clock.at += dayMs + 1
      await clean()
      assert.equal(await readOAuthClient(on.db, unused.id), null)
      assert.ok(await readOAuthClient(on.db, app.clientId))
      on.clock.at += 90 * dayMs
      await clean()
      assert.ok(await readOAuthClient(on.db, app.clientId), 'its grant is still there')
      await on.db.write('delete from oauth_grants')
      await clean()
      assert.equal(await readOAuthClient(on.db, app.clientId), null)
    })

    test('the oldest of a thousand registrations that wait for a person', async () => {
      await using on = await openSetting(open)
      const person = await makePerson(on.db, on.clock.nowMs())
      const { clientId } = await on.newCode(person)
      const oldest = await on.clients.register({ redirect_uris: [redirectUri] })
      on.clock.at += 1
      await on.db.transaction(async (tx) => {
        for (let n = 0; n < 999; n++) {
          await tx.write(
            `insert into oauth_clients (id, name, redirect_uris, created_at) values ($1, 'x', '[]', $2)`,
            [`seeded ${n}`, on.clock.nowMs()],
          )
        }
      })
      assert.ok(await readOAuthClient(on.db, oldest.id))
      await on.clients.register({ redirect_uris: [redirectUri] })
      assert.equal(await readOAuthClient(on.db, oldest.id), null)
      assert.ok(await readOAuthClient(on.db, clientId), 'one that a person connected stays')
    })
  })
}
