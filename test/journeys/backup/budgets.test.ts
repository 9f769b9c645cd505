// Budgets are part of a backup, with what was spent of them and what was told of it.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { consolePath, signUp } from '../../support/console.ts'
import { databases } from '../../support/databases.ts'
import { type Body, P, startServer, type TestServer } from '../../support/server.ts'
import { eventually } from '../generation/setting.ts'
import { addWorkflow, graph } from '../runs/setting.ts'
import { cli, type Env, newFolder, newPlace, rowsOf } from './setting.ts'

const echo = graph([{ id: 'in', type: 'input.text' }])

for (const { name: to } of databases) {
  test(`a restored copy has the budgets, raises, default tags and what was spent, on ${to}`, async (t) => {
    const folder = await newFolder(t)
    const MODELS_FILE = join(folder, 'models.json')
    const pricing = { inputPerMillionTokens: 0, outputPerMillionTokens: 1_000 }
    await writeFile(MODELS_FILE, JSON.stringify({ models: [{ id: 'demo-text', pricing }] }))
    const env = { MODELS_FILE, SIGN_UP: 'open' }
    const original = await newPlace(t, 'sqlite')
    const server = await startServer({ ...original, ...env })
    t.after(() => server.stop())
    const me = await signUp(server)
    const key = await me.newKey({ scopes: ['chat:write', 'developer', 'workflows:write'] })
    const as = ({ call }: TestServer) => ({
      put: async (path: string, json: object) => {
        const answer = await call({ method: 'PUT', path: consolePath + path, key, json })
        assert.equal(answer.status, 200, answer.text)
      },
      budgets: async () => (await call({ path: `${consolePath}/budgets`, key })).body.data,
      chat: () =>
        call({
          ...{ method: 'POST', path: `${P}/chat/completions`, key },
          headers: { 'x-atelier-tag': 'nightly' },
          json: { model: 'demo-text', messages: [{ role: 'user', content: 'Hi' }], maxTokens: 50 },
        }),
    })
    const before = as(server)
    const on = {
      call: (call: Parameters<TestServer['call']>[0]) =>
        server.call({ ...(typeof call === 'string' ? { path: call } : call), key }),
    }
    const workflow = String(await addWorkflow(on, echo))
    await before.put('/budgets', { scope: 'tag', target: 'nightly', period: 'day', limit: 0.1 })
    await before.put('/budgets', { scope: 'account', period: 'month', limit: 100 })
    await before.put('/budgets', { scope: 'workflow', target: workflow, period: 'day', limit: 1 })
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const raise = { scope: 'workflow', target: workflow, period: 'day', amount: 2, until }
    await before.put('/budgets/raise', raise)
    await before.put('/default-tags', { scope: 'workflow', target: workflow, tag: 'weekly' })
    // More than half of it is spent when what one more could cost does not fit any more.
    for (let status = 200; status === 200; ) status = (await before.chat()).status
    const alerts = (of: Env) =>
      rowsOf<{ percent: number }>(of, 'select percent from budget_alerts where percent = 50')
    await eventually(
      () => alerts(original),
      (rows) => rows.length === 1,
    )
    const there = await before.budgets()
    assert.ok(there.items.some(({ spent }: Body) => spent.amount > 0.05))
    await cli(['backup', join(folder, 'copy')], original)
    await server.stop()

    const copy = await newPlace(t, to)
    await cli(['restore', join(folder, 'copy'), '--trust'], copy)
    assert.equal((await alerts(copy)).length, 1)
    await using restored = await startServer({ ...copy, ...env })
    const after = as(restored)
    assert.deepEqual(await after.budgets(), there)
    const refused = await after.chat()
    assert.equal(refused.status, 403, refused.text)
    assert.equal(refused.body.error.details.target, 'nightly')
  })
}
