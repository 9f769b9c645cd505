import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { signUp } from '../../support/console.ts'
import { P } from '../../support/server.ts'
import { newFolder, openSetting } from './setting.ts'

test('an owner sets, raises, lists and removes budgets, and they hold', async (t) => {
  const MODELS_FILE = join(await newFolder(t), 'models.json')
  const pricing = { inputPerMillionTokens: 2, outputPerMillionTokens: 8 }
  await writeFile(MODELS_FILE, JSON.stringify({ models: [{ id: 'demo-text', pricing }] }))
  const setting = await openSetting(t, { SIGN_UP: 'open', MODELS_FILE })
  const { email, password, newKey } = await signUp(setting.server)
  const env = { ATELIER_EMAIL: email, ATELIER_PASSWORD: password }
  const budgets = (...words: string[]) => setting.cli(['budgets', ...words], { env })
  const rows = (stdout: string) =>
    stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/))

  const made = await budgets('set', 'tag:nightly', 'day', '0')
  assert.equal(made.code, 0, made.stderr)
  assert.deepEqual(rows(made.stdout), [
    ['BUDGET', 'PERIOD', 'LIMIT', 'SPENT', 'RESERVED', 'LEFT'],
    ['tag nightly', 'day', '0 USD', '0 USD', '0 USD', '0 USD'],
  ])
  const key = await newKey()
  const chat = () =>
    setting.server.call({
      ...{ method: 'POST', path: `${P}/chat/completions`, key },
      headers: { 'x-atelier-tag': 'nightly' },
      json: { model: 'demo-text', messages: [{ role: 'user', content: 'Hello' }] },
    })
  assert.equal((await chat()).body.error.code, 'SPEND_LIMIT_REACHED')

  const until = new Date(Date.now() + 3_600_000).toISOString()
  const raised = await budgets('raise', 'tag:nightly', 'day', '2', '--until', until)
  assert.equal(rows(raised.stdout)[1]?.[2], `0 USD + 2 USD until ${until}`)
  assert.equal((await chat()).status, 200)
  const { items } = JSON.parse((await budgets('list', '--json')).stdout)
  assert.ok(items[0].spent.amount > 0)
  assert.equal((await budgets('raise', 'tag:nightly', 'day', '0', '--until', until)).code, 0)
  assert.equal((await chat()).status, 403)
  const tagged = await budgets('tag', `workflow:${await addWorkflow(setting, key)}`, 'nightly')
  assert.match(tagged.stdout, /^workflow 1 is counted under nightly$/m)
  assert.equal((await budgets('set', 'tag:nightly', 'day', 'none')).code, 0)
  assert.equal((await chat()).status, 200)

  const wrong = [
    ['set', 'account', 'month', 'much'],
    ['set', 'account', 'month', '-1'],
    ['raise', 'account', 'month', '1'],
  ]
  for (const words of wrong) assert.equal((await budgets(...words)).code, 2, words.join(' '))
  const unknown = await budgets('raise', 'account', 'month', '1', '--until', until)
  assert.match(unknown.stderr, /RECORD_NOT_FOUND/)
})

async function addWorkflow({ server }: Awaited<ReturnType<typeof openSetting>>, key: string) {
  const data = { nodes: [{ id: 'in', type: 'input.text', data: {} }], connections: [] }
  const json = { name: 'w', data }
  const answer = await server.call({ method: 'POST', path: `${P}/workflows`, key, json })
  return answer.body.data.id
}
