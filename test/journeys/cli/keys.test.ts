import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { totpCode, totpStep } from '#auth/totp.ts'
import { fromBase32 } from '../../support/base32.ts'
import { consolePath, type Person, signUp } from '../../support/console.ts'
import { inTerminal, openSetting } from './setting.ts'

test('a signed-in person makes, lists and revokes keys, from variables', async (t) => {
  const { cli, server } = await openSetting(t, { SIGN_UP: 'open' })
  const { email, password } = await signUp(server)
  const env = { ATELIER_EMAIL: email, ATELIER_PASSWORD: password }
  const made = await cli(
    ['keys', 'create', '--name', 'laptop', '--scope', 'models:read', '--expires', '2090-01-31'],
    { env },
  )
  assert.equal(made.code, 0, made.stderr)
  const key = made.stdout.trim()
  assert.match(key, /^sk_[A-Za-z0-9]{38}$/)
  assert.match(made.stderr, /not shown again/)

  assert.equal((await cli(['models'], { env: { ATELIER_API_KEY: key } })).code, 0)
  const beyond = await cli(['tasks'], { env: { ATELIER_API_KEY: key } })
  assert.equal(beyond.code, 4)
  assert.match(
    beyond.stderr,
    /INSUFFICIENT_SCOPE.*\n {2}scope: tasks:read\nCreate a key with this scope/,
  )

  const listed = await cli(['keys'], { env })
  assert.match(listed.stdout, /^ID .*\n[0-9a-f-]{36} +live +sk_.* laptop/)
  assert.ok(!listed.stdout.includes(key))
  const [{ id }] = JSON.parse((await cli(['keys', 'list', '--json'], { env })).stdout).items
  const revoked = await cli(['keys', 'revoke', id], { env })
  assert.deepEqual([revoked.code, revoked.stdout], [0, 'Revoked laptop\n'])
  assert.equal((await cli(['models'], { env: { ATELIER_API_KEY: key } })).code, 4)
})

test('an owner sets and removes stand-in prices, which no API key may', async (t) => {
  const { cli, server } = await openSetting(t, { SIGN_UP: 'open', FAL_KEY: 'none' })
  const { email, password } = await signUp(server)
  const env = { ATELIER_EMAIL: email, ATELIER_PASSWORD: password }
  const shown = async () => (await cli(['prices', 'list'], { env })).stdout
  assert.match(await shown(), /fal\/veo-3\.1-fast +VIDEO +none: refused under a limit/)
  const set = await cli(['prices', 'set', 'fal/veo-3.1-fast', '--second', '0.4'], { env })
  assert.deepEqual([set.code, set.stdout], [0, 'fal/veo-3.1-fast: second 0.4\n'])
  assert.match(await shown(), /fal\/veo-3\.1-fast +VIDEO +second 0\.4/)
  const wrong = await cli(['prices', 'set', 'fal/veo-3.1-fast', '--image', '1'], { env })
  assert.match(wrong.stderr, /pricing must have perSecond/)
  const bad = await cli(['prices', 'set', 'fal/veo-3.1-fast', '--second', 'x'], { env })
  assert.deepEqual([bad.code, /--second must be 0 or more/.test(bad.stderr)], [2, true])
  const removed = await cli(['prices', 'remove', 'fal/veo-3.1-fast'], { env })
  assert.equal(removed.code, 0, removed.stderr)
  assert.match(await shown(), /none: refused under a limit/)
})

test('a person defines routes, with options or a file, and deletes them', async (t) => {
  const { cli, server, folder } = await openSetting(t, { SIGN_UP: 'open' })
  const { email, password } = await signUp(server)
  const env = { ATELIER_EMAIL: email, ATELIER_PASSWORD: password }
  const models = ['--model', 'demo-code', '--model', 'demo-text']
  const set = await cli(['routes', 'set', 'writer', ...models, '--on', 'rate_limit'], { env })
  assert.deepEqual([set.code, set.stdout], [0, 'route:writer: demo-code, demo-text\n'])
  const file = join(folder, 'route.json')
  writeFileSync(file, JSON.stringify({ candidates: [{ model: 'demo-text', weight: 2 }] }))
  const fromFile = await cli(['routes', 'set', 'other', '--file', file], { env })
  assert.equal(fromFile.stdout, 'route:other: demo-text (2)\n', fromFile.stderr)
  const { stdout } = await cli(['routes', 'list'], { env })
  assert.match(stdout, /route:writer +demo-code, demo-text +rate_limit\n/)
  assert.equal((await cli(['routes', 'set', 'writer'], { env })).code, 2)
  const unknown = await cli(['routes', 'set', 'writer', '--model', 'nobody'], { env })
  assert.match(unknown.stderr, /"nobody" is not a model of this server/)
  assert.equal((await cli(['routes', 'remove', 'writer'], { env })).stdout, 'writer is gone\n')
  assert.doesNotMatch((await cli(['routes', 'list'], { env })).stdout, /writer/)
})

test('a person is asked for e-mail and password, and the password is not shown', async (t) => {
  const { env, server } = await openSetting(t, { SIGN_UP: 'open' })
  const { email, password } = await signUp(server)
  const seen = inTerminal(['keys', 'list'], env)
  await seen.shows('E-mail:')
  seen.type(`${email}\r`)
  await seen.shows('Password:')
  seen.type(`${password}\r`)
  assert.equal(await seen.ended, 0)
  assert.match(seen.screen(), /\nID +STATE +KEY/)
  assert.ok(!seen.written().includes(password))
})

test('with two-step sign-in a code is asked for, and needed', async (t) => {
  const { cli, env, server } = await openSetting(t, { SIGN_UP: 'open' })
  const person = await signUp(server)
  const { email, password } = person
  const [recoveryCode = ''] = await turnOnTwoStep(person)
  const known = { ...env, ATELIER_EMAIL: email, ATELIER_PASSWORD: password }
  const seen = inTerminal(['keys', 'list'], known)
  await seen.shows('Code of your authenticator app:')
  seen.type(`${recoveryCode}\r`)
  assert.equal(await seen.ended, 0, seen.screen())
  assert.match(seen.screen(), /\nID +STATE +KEY/)

  const wrong = inTerminal(['keys', 'list'], known)
  await wrong.shows('Code of your authenticator app:')
  wrong.type('000000\r')
  assert.equal(await wrong.ended, 4)
  const silent = await cli(['keys'], { env: known })
  assert.equal(silent.code, 4)
  assert.match(silent.stderr, /CODE_REQUIRED/)
})

/** Returns the recovery codes. */
async function turnOnTwoStep(person: Person): Promise<string[]> {
  const post = async (path: string, json: object) => {
    const answer = await person.call({ method: 'POST', path: consolePath + path, json })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data
  }
  const { secret } = await post('/two-step', { password: person.password })
  const code = totpCode(fromBase32(secret), totpStep(Date.now()))
  return (await post('/two-step/confirm', { code })).recoveryCodes
}

test('a wrong password exits with 4; if nobody can be asked, the variables are named', async (t) => {
  const { cli, server } = await openSetting(t, { SIGN_UP: 'open' })
  const { email } = await signUp(server)
  const wrong = { ATELIER_EMAIL: email, ATELIER_PASSWORD: 'not the password' }
  const refused = await cli(['keys'], { env: wrong })
  assert.equal(refused.code, 4)
  assert.match(refused.stderr, /The e-mail or the password is wrong/)
  const silent = await cli(['keys'])
  assert.equal(silent.code, 2)
  assert.match(silent.stderr, /Set ATELIER_EMAIL and ATELIER_PASSWORD/)
  const dry = await cli(['keys', 'create'], { env: wrong })
  assert.match(dry.stderr, /--name is missing/)
})

test('Ctrl-C at the password ends with 130', async (t) => {
  const { env } = await openSetting(t)
  const seen = inTerminal(['keys'], { ...env, ATELIER_EMAIL: 'a@example.com' })
  await seen.shows('Password:')
  seen.type('half\x03')
  assert.equal(await seen.ended, 130)
  assert.ok(!seen.written().includes('half'))
})

test('a key with the scope for it manages credentials and webhooks', async (t) => {
  const { cli, server } = await openSetting(t, { SIGN_UP: 'open' })
  const person = await signUp(server)
  const env = { ATELIER_API_KEY: await person.newKey({ scopes: ['developer'] }) }
  const set = ['credentials', 'set', 'crm', '--host', 'api.crm.example']
  const stored = await cli(set, { env, stdin: 'a-secret-token-1234\n' })
  assert.deepEqual([stored.code, stored.stdout], [0, 'Stored crm\n'], stored.stderr)
  const basic = [...set, '--kind', 'basic', '--username', 'us']
  const replaced = await cli([...basic, '--json'], { env, stdin: 'a-password-9876' })
  const { kind, lastChars } = JSON.parse(replaced.stdout)
  assert.deepEqual([kind, lastChars], ['basic', '9876'])
  const listed = await cli(['credentials'], { env })
  assert.match(listed.stdout, /crm +basic +…9876 +api\.crm\.example/)
  const ofProvider = ['credentials', 'set', 'my-openai', '--provider', 'openai']
  assert.equal((await cli(ofProvider, { env, stdin: 'sk-mine-4321' })).code, 0)
  const both = await cli(['credentials'], { env })
  assert.match(both.stdout, /my-openai +provider +…4321 +openai/)
  assert.match((await cli(['webhooks', 'secret'], { env })).stdout, /^whsec_/)
  const rotated = await cli(['webhooks', 'rotate'], { env })
  assert.match(rotated.stderr, /previous secret is valid until/)
  assert.equal((await cli(['deliveries', '--status', 'FAILED'], { env })).code, 0)
  assert.equal((await cli(['credentials', 'delete', 'crm'], { env })).code, 0)
  assert.equal((await cli(['keys'], { env })).code, 0)

  const usual = { ATELIER_API_KEY: await person.newKey() }
  const refused = await cli(['credentials'], { env: usual })
  assert.equal(refused.code, 4)
  assert.match(refused.stderr, /INSUFFICIENT_SCOPE[\s\S]*ATELIER_EMAIL/)
  const { email, password } = person
  const signedIn = { ...usual, ATELIER_EMAIL: email, ATELIER_PASSWORD: password }
  assert.equal((await cli(['credentials'], { env: signedIn })).code, 0)
})
