import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { consolePath } from '../../support/console.ts'
import { databases } from '../../support/databases.ts'
import { ownMigrations } from '../../support/migrated.ts'
import type { Body } from '../../support/server.ts'
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts'
import { dispatched } from './setting.ts'

const email = 'owner@example.com'

for (const database of databases) {
  describe(`an owner who is locked out (${database.name})`, () => {
    test('comes back with a link and a key that were asked for at the machine', async () => {
      const opened =
        database.name === 'postgres' ? await database.open({ migrations: ownMigrations }) : null
      const url = opened && 'url' in opened.location ? opened.location.url : ''
      const DATA_DIR = await mkdtemp(join(tmpdir(), 'atelier-locked-out-'))
      const env = { DATA_DIR, SIGN_UP: 'open', ...(url && { DATABASE_URL: url }) }
      let server = await startServerProcess(env)
      const keyFile = () => readFile(join(DATA_DIR, 'owner.key'), 'utf8')
      const typed = (...words: string[]) =>
        dispatched([...words, '--json'], { env: { ...env, ATELIER_URL: server.url } })
      const atMachine: AtMachine = async (...words) => {
        const ended = await typed(...words)
        assert.equal(ended.code, 0, ended.stderr)
        return JSON.parse(ended.stdout)
      }
      try {
        // Before the owner was ever there, the link is another set-up link.
        const first = await atMachine('reset-owner')
        assert.deepEqual([first.ready, first.link.includes('/setup#token=')], [true, true])
        await post(server, '/set-up', { token: tokenOf(first), email, password: passwords[0] })

        const { link, ...made } = await atMachine('reset-owner')
        assert.deepEqual([made.ready, made.email], [true, email])
        assert.ok(link.startsWith(`${server.url}/console/recover#token=`))
        await post(server, '/recover', { token: tokenOf({ link }), password: passwords[1] })
        await post(server, '/sign-in', { email, password: passwords[1] })

        const before = await keyFile()
        const { path } = await atMachine('owner-key')
        assert.equal(path, join(DATA_DIR, 'owner.key'))
        const after = await keyFile()
        assert.notEqual(after, before)
        const models = (key: string) =>
          server.call({ path: '/api/ai-tools/v1/models', key: key.trim() })
        assert.equal((await models(after)).status, 200)
        assert.equal((await models(before)).status, 401)
        const owner = await post(server, '/sign-in', { email, password: passwords[1] })
        await switchesAnAccount(server, atMachine)
        const refused = await typed('accounts', 'disable', email)
        assert.notEqual(refused.code, 0)
        assert.match(refused.stderr, /This account operates the server and cannot be disabled/)
        assert.deepEqual(await auditOf(server, owner), [
          'account.switched',
          'account.switched',
          'sign-in',
          'key.created',
          'sign-in',
          'password.changed',
          'recovery-link.created',
          'sign-in',
          'account.set-up',
        ])
        // Asked for while no server runs: it works from the next start on.
        await server.stop()
        const late = await atMachine('reset-owner')
        assert.equal(late.ready, url !== '')
        server = await startServerProcess(env)
        await post(server, '/recover', { token: tokenOf(late), password: passwords[2] })
        await post(server, '/sign-in', { email, password: passwords[2] })
      } finally {
        await server.stop()
        await opened?.close()
        await rm(DATA_DIR, { recursive: true })
      }
    })
  })
}

const passwords = ['correct horse battery', 'correct horse stable', 'correct horse saddle'] as const
const tokenOf = ({ link }: { link: string }) => link.split('#token=')[1] ?? ''

const send = (server: ServerProcess, path: string, json: object) =>
  server.call({
    method: 'POST',
    path: consolePath + path,
    key: null,
    headers: { origin: server.url },
    json,
  })

/** Returns the cookie of whoever signed in. */
async function post(server: ServerProcess, path: string, json: object): Promise<string> {
  const answer = await send(server, path, json)
  assert.equal(answer.status, 200, answer.text)
  return String(answer.headers['set-cookie']).split(';')[0] ?? ''
}

type AtMachine = (...words: string[]) => Promise<Body>

/** Somebody who signed up is refused while their account is disabled. */
async function switchesAnAccount(server: ServerProcess, atMachine: AtMachine) {
  const person = { email: 'Guest@example.com', password: 'correct horse paddock' }
  await post(server, '/sign-up', person)
  const { items } = await atMachine('accounts')
  assert.deepEqual(
    items.map(({ operator, disabledAt, emails }: Body) => [operator, disabledAt, emails]),
    [
      [false, null, ['guest@example.com']],
      [true, null, [email]],
    ],
  )
  const disabled = await atMachine('accounts', 'disable', person.email)
  assert.deepEqual(disabled, { id: items[0].id, disabled: true, ready: true })
  const refused = await send(server, '/sign-in', person)
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'ACCOUNT_DISABLED'])
  await atMachine('accounts', 'enable', items[0].id)
  await post(server, '/sign-in', person)
}

/** The actions, newest first. */
async function auditOf(server: ServerProcess, cookie: string): Promise<string[]> {
  const path = `${consolePath}/audit`
  const { body } = await server.call({ path, key: null, headers: { cookie } })
  return body.data.items.map(({ action }: Body) => action)
}

test('where there is no database, nothing is made', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-nowhere-'))
  try {
    for (const command of ['reset-owner', 'owner-key', 'accounts list']) {
      const ended = await dispatched(command.split(' '), { env: { DATA_DIR: folder } })
      assert.notEqual(ended.code, 0)
      assert.match(ended.stderr, /There is no database at .*Set DATA_DIR.*\(REFUSED\)/)
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})
