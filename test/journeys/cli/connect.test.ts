import assert from 'node:assert/strict'
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { agentSettings } from '../../../src/cli/agents/agent-settings.ts'
import { signUp } from '../../support/console.ts'
import { openSetting } from './setting.ts'

/** Somebody who may make keys, and whose home is an empty folder. */
async function openHome(t: TestContext) {
  const setting = await openSetting(t, { SIGN_UP: 'open', ANTHROPIC_API_KEY: 'none' })
  const { email, password } = await signUp(setting.server)
  const { folder: home } = setting
  const env = { ATELIER_EMAIL: email, ATELIER_PASSWORD: password, HOME: home }
  const keys = async () =>
    JSON.parse((await setting.cli(['keys', 'list', '--json'], { env })).stdout).items
  return { ...setting, home, env, keys, read: (file: string) => readFile(join(home, file), 'utf8') }
}

test('an agent gets a key of its own that can only chat, within a limit', async (t) => {
  const { cli, env, keys, server } = await openHome(t)
  const made = await cli(['connect', 'claude-code', '--model', 'demo-text'], { env })
  assert.equal(made.code, 0, made.stderr)
  const variables = Object.fromEntries(
    made.stdout
      .trim()
      .split('\n')
      .map((line) => /^export (\w+)='(.*)'$/.exec(line)?.slice(1) ?? []),
  )
  assert.equal(variables.ANTHROPIC_BASE_URL, server.url)
  assert.equal(variables.ANTHROPIC_MODEL, 'demo-text')
  assert.match(made.stderr, /named "claude-code" and spends at most \$20 in a month, on demo-text/)
  const [{ name, scopes, limits }] = await keys()
  assert.deepEqual(
    { name, scopes, limits },
    { name: 'claude-code', scopes: ['models:read', 'chat:write'], limits: { spendPerMonth: 20 } },
  )
  const answer = await server.call({
    method: 'POST',
    path: '/v1/messages',
    key: variables.ANTHROPIC_AUTH_TOKEN ?? '',
    json: { model: 'demo-text', max_tokens: 99, messages: [{ role: 'user', content: '1+1?' }] },
  })
  assert.equal(answer.status, 200, answer.text)
})

test('the model is the first with a price that is no demonstration', async (t) => {
  const { cli, env } = await openHome(t)
  const made = await cli(['connect', 'gemini-cli', '--limit', '5.5', '--json'], { env })
  const { model, spendPerMonth, files } = JSON.parse(made.stdout)
  assert.match(model, /^anthropic\//)
  assert.equal(spendPerMonth, 5.5)
  assert.deepEqual(
    files.map(({ path }: { path: string }) => path),
    ['.gemini/.env', '.gemini/settings.json'],
  )
})

test('each agent can be connected, and without --write no file is touched', async (t) => {
  const { cli, env, home } = await openHome(t)
  for (const name of Object.keys(agentSettings)) {
    const made = await cli(['connect', name, '--model', 'demo-text'], { env })
    assert.equal(made.code, 0, made.stderr)
    assert.match(made.stdout, /sk_[A-Za-z0-9]{38}/)
    assert.match(made.stdout, /demo-text/)
  }
  assert.deepEqual(await readdir(home), [])
})

test('--write keeps what else is in a file, and a copy of it', async (t) => {
  const { cli, env, home, read } = await openHome(t)
  await mkdir(join(home, '.claude'))
  const before = '{"theme":"dark","env":{"EDITOR":"vi","ANTHROPIC_MODEL":"old"}}'
  await writeFile(join(home, '.claude/settings.json'), before)
  const words = ['connect', 'claude-code', '--model', 'demo-text', '--write']
  const made = await cli(words, { env })
  assert.equal(made.code, 0, made.stderr)
  assert.match(made.stdout, /^Wrote \S+settings\.json \(what was there is in \S+\.bak\)\n$/)
  assert.doesNotMatch(made.stdout + made.stderr, /sk_/)
  const after = JSON.parse(await read('.claude/settings.json'))
  assert.equal(after.theme, 'dark')
  assert.equal(after.env.EDITOR, 'vi')
  assert.equal(after.env.ANTHROPIC_MODEL, 'demo-text')
  const copy = (await readdir(join(home, '.claude'))).find((file) => file.endsWith('.bak'))
  assert.equal(await read(`.claude/${copy}`), before)
})

test('a file that did not exist can be read by its owner alone', async (t) => {
  const { cli, env, home, read } = await openHome(t)
  await cli(['connect', 'codex', '--model', 'demo-text', '--write'], { env })
  assert.match(await read('.codex/atelier.config.toml'), /experimental_bearer_token = "sk_/)
  const { mode } = await stat(join(home, '.codex/atelier.config.toml'))
  assert.equal(mode & 0o077, 0)
})

test('a file that gets a key can be read by its owner alone from then on, and so its copy', async (t) => {
  const { cli, env, home } = await openHome(t)
  await mkdir(join(home, '.gemini'))
  await writeFile(join(home, '.gemini/.env'), 'GEMINI_API_KEY=old\n')
  await writeFile(join(home, '.gemini/settings.json'), '{}')
  for (const file of await readdir(join(home, '.gemini'))) {
    await chmod(join(home, '.gemini', file), 0o644)
  }
  const made = await cli(['connect', 'gemini-cli', '--model', 'demo-text', '--write'], { env })
  assert.equal(made.code, 0, made.stderr)
  const found = (await readdir(join(home, '.gemini'))).sort().map(async (file) => {
    const { mode } = await stat(join(home, '.gemini', file))
    return [file.replace(/\.2.*Z/, ''), (mode & 0o777).toString(8)]
  })
  assert.deepEqual(Object.fromEntries(await Promise.all(found)), {
    '.env': '600',
    '.env.bak': '600',
    // There is no key in it.
    'settings.json': '644',
    'settings.json.bak': '644',
  })
})

test('a file that is no plain JSON stays as it is', async (t) => {
  const { cli, env, home, read } = await openHome(t)
  const commented = '{\n  // mine\n  "theme": "dark"\n}\n'
  await mkdir(join(home, '.claude'))
  await writeFile(join(home, '.claude/settings.json'), commented)
  const made = await cli(['connect', 'claude-code', '--model', 'demo-text', '--write'], { env })
  assert.equal(made.code, 1)
  assert.match(made.stderr, /not an object in plain JSON, so nothing was changed/)
  assert.equal(await read('.claude/settings.json'), commented)
})

test('a failure leaves no key behind', async (t) => {
  const { cli, env, keys, home } = await openHome(t)
  const unknown = await cli(['connect', 'codex', '--model', 'no-such'], { env })
  assert.deepEqual([unknown.code, /no text model "no-such"/.test(unknown.stderr)], [1, true])
  await writeFile(join(home, '.codex'), 'a file where the folder should be')
  assert.equal((await cli(['connect', 'codex', '--write'], { env })).code, 1)
  const live = (await keys()).filter(({ revokedAt }: { revokedAt: null }) => revokedAt === null)
  assert.deepEqual(live, [])
  assert.equal((await cli(['connect', 'emacs'], { env })).code, 2)
  assert.equal((await cli(['connect', 'codex', '--limit', '0'], { env })).code, 2)
})
