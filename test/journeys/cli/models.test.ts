import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, chown, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { dispatched, newFolder } from './setting.ts'

/** Answers GET by path, and lists models only to somebody with the key. */
async function openServer(t: TestContext, answers: Record<string, unknown>) {
  const server = createServer(({ url = '', headers }, response) => {
    const isLocked = url === '/v1/models' && headers.authorization !== 'Bearer right'
    const found = isLocked ? undefined : answers[url]
    response.writeHead(found ? 200 : isLocked ? 401 : 404).end(JSON.stringify(found ?? {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const readJson = async (path: string) => JSON.parse(await readFile(path, 'utf8'))

test('the models of a server are found, shown, and added to MODELS_FILE when told to', async (t) => {
  const list = [{ id: 'tiny', max_model_len: 4096 }, { id: 'tiny-embed' }]
  const url = await openServer(t, { '/v1/models': { object: 'list', data: list } })
  const path = join(await newFolder(t), 'models.json')
  const before = { models: [{ id: 'demo-video', enabled: false }] }
  await writeFile(path, JSON.stringify(before))
  const env = { MODELS_FILE: path, TINY_KEY: 'right' }
  const words = ['models', 'discover', url, '--name', 'tiny', '--free']

  const locked = await dispatched(words, { env })
  assert.equal(locked.code, 1)
  assert.match(locked.stderr, /lists no models .*--key-variable/)

  const key = ['--key-variable', 'TINY_KEY']
  const shown = await dispatched([...words, ...key], { env })
  assert.equal(shown.code, 0, shown.stderr)
  assert.match(shown.stdout, /tiny\/tiny +TEXT +4096 +new\n/)
  assert.match(shown.stderr, /Nothing is changed yet/)
  assert.deepEqual(await readJson(path), before)

  const written = await dispatched([...words, ...key, '--write'], { env })
  assert.equal(written.code, 0, written.stderr)
  const file = await readJson(path)
  assert.deepEqual(file.endpoints, [
    { name: 'tiny', baseUrl: `${url}/v1`, apiKeyVariable: 'TINY_KEY' },
  ])
  assert.deepEqual(
    file.models.map(({ id }: { id: string }) => id),
    ['demo-video', 'tiny/tiny', 'tiny/tiny-embed'],
  )
  const copy = /\(before: (.+)\)/.exec(written.stderr)?.[1] ?? ''
  assert.deepEqual(await readJson(copy), before)

  // Now it is known by its name, and there is nothing left to add.
  list.pop()
  const again = await dispatched(['models', 'discover', 'tiny', '--write', '--json'], { env })
  const { added, known, gone } = JSON.parse(again.stdout)
  assert.deepEqual([added.length, known[0].id, gone[0].id], [0, 'tiny/tiny', 'tiny/tiny-embed'])
})

test('a newer list of prices is compared with those in use before it is taken', async (t) => {
  const cost = { input: 3, output: 15 }
  const model = { modalities: { input: ['text'], output: ['text'] }, cost }
  const models = {
    'gpt-6-luna': { id: 'gpt-6-luna', ...model },
    'gpt-9': { id: 'gpt-9', name: 'GPT-9', limit: { context: 9_000 }, ...model },
  }
  const lists = { '/list.json': { openai: { id: 'openai', models } } }
  const url = await openServer(t, lists)
  const folder = await newFolder(t)
  const env = {
    ...{ OPENAI_API_KEY: 'sk-none', DATA_DIR: folder },
    ...{ MODELS_FILE: join(folder, 'models.json'), PRICES_FILE: join(folder, 'prices.json') },
  }
  await writeFile(env.MODELS_FILE, '{}')
  const words = ['models', 'refresh', `${url}/list.json`]

  const shown = await dispatched(words, { env })
  assert.equal(shown.code, 0, shown.stderr)
  assert.match(shown.stdout, /: 1 of \d+ models change\.\n/)
  assert.match(shown.stdout, /\nopenai\/gpt-6-luna .*\$3\.00 in, \$15\.00 out per million tokens\n/)
  assert.match(shown.stdout, /\nopenai\/gpt-9 +TEXT +GPT-9\n/)
  await assert.rejects(readFile(env.PRICES_FILE), { code: 'ENOENT' })

  const unknown = await dispatched([...words, '--add', 'openai/gpt-0'], { env })
  assert.match(unknown.stderr, /no new model "openai\/gpt-0"/)

  const taken = await dispatched([...words, '--add', 'openai/gpt-9', '--write'], { env })
  assert.equal(taken.code, 0, taken.stderr)
  const kept = await readJson(env.PRICES_FILE)
  assert.equal(kept.source, `${url}/list.json`)
  assert.match(kept.date, /^\d{4}-\d\d-\d\d$/)
  const { models: added } = await readJson(env.MODELS_FILE)
  assert.deepEqual(added, [
    {
      ...{ id: 'openai/gpt-9', provider: 'openai', providerModel: 'gpt-9', kind: 'TEXT' },
      ...{ name: 'GPT-9', capabilities: { inputModalities: ['text'], maxInputTokens: 9_000 } },
    },
  ])

  const after = await dispatched([...words, '--json'], { env })
  const { changed, unlisted } = JSON.parse(after.stdout)
  assert.deepEqual([changed, unlisted], [[], []])
})

test('whoever could read MODELS_FILE can read it after a command has changed it', async (t) => {
  const url = await openServer(t, { '/v1/models': { object: 'list', data: [{ id: 'tiny' }] } })
  const path = join(await newFolder(t), 'models.json')
  await writeFile(path, '{}')
  await chmod(path, 0o640)
  // The server runs as another user than the operator who changes its settings.
  if (process.getuid?.() === 0) await chown(path, 10_001, 10_001)
  const before = await stat(path)
  const words = ['models', 'discover', url, '--name', 'tiny', '--key-variable', 'KEY', '--write']
  const written = await dispatched(words, { env: { MODELS_FILE: path, KEY: 'right' } })
  assert.equal(written.code, 0, written.stderr)
  const { mode, uid, gid } = await stat(path)
  assert.deepEqual([mode, uid, gid], [before.mode, before.uid, before.gid])
})
