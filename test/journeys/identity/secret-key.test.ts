import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pino from 'pino'
import { consolePath, type Person, personOf } from '../../support/console.ts'
import { type Body, P, startServer, type TestServer } from '../../support/server.ts'
import { dispatched } from '../cli/setting.ts'

const base64 = () => randomBytes(32).toString('base64')
const account = { email: 'a@example.com', password: 'correct horse battery' }

async function signedIn(server: TestServer): Promise<Person> {
  const sign = async (path: string) =>
    server.call({
      method: 'POST',
      path: consolePath + path,
      key: null,
      headers: { origin: server.url },
      json: account,
    })
  const known = await sign('/sign-in')
  return personOf(server, known.status === 200 ? known : await sign('/sign-up'), account)
}

/** Uses the set-up link, so that the account is the one that runs the server. */
async function becomeOwner(server: TestServer) {
  const token = new URL(server.running.setupLink ?? '').hash.slice('#token='.length)
  const path = `${consolePath}/set-up`
  const headers = { origin: server.url }
  const json = { token, ...account }
  const answer = await server.call({ method: 'POST', path, key: null, headers, json })
  assert.equal(answer.status, 200, answer.text)
}

const read = async (person: Person, path: string) =>
  (await person.call({ path: consolePath + path })).body.data

/** What an owner and their callers hold, all of it made with the key of the time. */
async function makeThings(server: TestServer) {
  const person = await signedIn(server)
  const add = (path: string, json?: object) =>
    person.call({ method: 'POST', path: consolePath + path, ...(json ? { json } : {}) })
  for (const name of ['one', 'two', 'three']) {
    await add('/credentials', {
      name,
      kind: 'bearer',
      secret: `secret-of-${name}`,
      hosts: ['api.example.com'],
    })
  }
  const key = await person.newKey()
  const picture = { model: 'demo-image', messages: [{ role: 'user', content: 'a door' }] }
  for (let i = 0; i < 2; i++) {
    await server.call({ method: 'POST', path: `${P}/images/generations`, key, json: picture })
  }
  const { next } = await read(person, '/tasks?size=1')
  const secret = await read(person, '/webhook-secret')
  return { secret: secret.secret, next, picture: await pictureAddress(person) }
}

/** Without the server's own address, which changes with each start here. */
async function pictureAddress(person: Person): Promise<string> {
  for (;;) {
    const { items } = await read(person, '/tasks')
    const done = items.find((task: { status: string }) => task.status === 'COMPLETED')
    if (done) {
      const { pathname, search } = new URL(done.imageContent[0].url)
      return pathname + search
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test('the key is replaced by the next start: nothing that was made before is lost', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'atelier-secret-key-'))
  const said: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void said.push(line) })
  const common = { DATA_DIR: dataDir, SIGN_UP: 'open' }
  const [oldKey, newKey] = [base64(), base64()]
  await using first = await startServer({ ...common, SECRET_KEY: oldKey })
  const made = await makeThings(first)
  await first.stop()

  const both = { ...common, SECRET_KEY: newKey, SECRET_KEY_OLD: oldKey }
  await using second = await startServer(both, log)
  assert.ok(said.some((line) => /encrypted with the new SECRET_KEY.*SECRET_KEY_OLD/.test(line)))
  const person = await signedIn(second)
  assert.equal((await read(person, '/webhook-secret')).secret, made.secret)
  const page = await person.call({ path: `${consolePath}/tasks?size=1&cursor=${made.next}` })
  assert.equal(page.body.data.items.length, 1, page.text)
  assert.equal((await fetch(second.url + made.picture)).status, 200)
  await second.stop()

  await assert.rejects(startServer({ ...common, SECRET_KEY: oldKey }), /original key/)
  await using third = await startServer({ ...common, SECRET_KEY: newKey })
  assert.equal((await read(await signedIn(third), '/webhook-secret')).secret, made.secret)
  assert.equal((await fetch(third.url + made.picture)).status, 404)
  await third.stop()
  await rm(dataDir, { recursive: true })
})

test('a key in the data folder is replaced by a command and a restart', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'atelier-secret-key-'))
  const env = { DATA_DIR: dataDir }
  const none = await dispatched(['rotate-secret-key'], { env })
  assert.equal(none.code, 1)
  assert.match(none.stderr, /There is no secret\.key/)
  const server = { DATA_DIR: dataDir, SIGN_UP: 'open' }
  await using first = await startServer(server)
  await becomeOwner(first)
  const { secret } = await read(await signedIn(first), '/webhook-secret')
  const before = await readFile(join(dataDir, 'secret.key'), 'utf8')
  const given = await dispatched(['rotate-secret-key'], { env: { ...env, SECRET_KEY: base64() } })
  assert.match(given.stderr, /SECRET_KEY_OLD/)
  const rotated = await dispatched(['rotate-secret-key'], { env })
  assert.equal(rotated.code, 0, rotated.stderr)
  assert.equal(await readFile(join(dataDir, 'secret.key.old'), 'utf8'), before)
  assert.notEqual(await readFile(join(dataDir, 'secret.key'), 'utf8'), before)
  for (const name of ['secret.key', 'secret.key.old']) {
    assert.equal((await stat(join(dataDir, name))).mode & 0o777, 0o600)
  }
  const twice = await dispatched(['rotate-secret-key'], { env })
  assert.match(twice.stderr, /already being replaced/)
  // A server that is running keeps its key until it is started again.
  assert.equal((await read(await signedIn(first), '/webhook-secret')).secret, secret)
  await first.stop()
  await using second = await startServer(server)
  const owner = await signedIn(second)
  assert.equal((await read(owner, '/webhook-secret')).secret, secret)
  const { items } = await read(owner, '/audit?action=secret-key.replaced')
  assert.deepEqual(
    items.map(({ actor, target }: Body) => [actor.kind, target]),
    [['server', 'every stored secret']],
  )
  await second.stop()
  await rm(join(dataDir, 'secret.key.old'))
  await using third = await startServer(server)
  assert.equal((await read(await signedIn(third), '/webhook-secret')).secret, secret)
  await third.stop()
  await rm(dataDir, { recursive: true })
})

test('a data folder without its key is refused, and no new key is written', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'atelier-secret-key-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  await (await startServer({ DATA_DIR: dataDir })).stop()
  const path = join(dataDir, 'secret.key')
  const kept = await readFile(path)
  await rm(path)
  await assert.rejects(
    startServer({ DATA_DIR: dataDir }),
    /secret\.key is missing.*put the file back/is,
  )
  await assert.rejects(stat(path), { code: 'ENOENT' })
  await writeFile(path, kept)
  await (await startServer({ DATA_DIR: dataDir })).stop()
})
