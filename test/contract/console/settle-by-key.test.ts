import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { consolePath } from '../../support/console.ts'
import { P } from '../../support/server.ts'
import { dataOf, onBothDatabases, refusedAs } from './setting.ts'

const folder = await mkdtemp(join(tmpdir(), 'atelier-settle-'))
after(() => rm(folder, { recursive: true, force: true }))
const pricing = { inputPerMillionTokens: 100, outputPerMillionTokens: 100 }
const file = join(folder, 'models.json')
await writeFile(file, JSON.stringify({ models: [{ id: 'demo-text', pricing }] }))

onBothDatabases(
  'a call that a key lost',
  (on) => {
    test('is not settled by that key, whose limit it counts on', async () => {
      const scopes = ['developer', 'chat:write']
      const key = await on.owner.newKey({ name: 'limited', scopes, limits: { spendPerMonth: 1 } })
      const json = { model: 'demo-text', messages: [{ role: 'user', content: 'Hello' }] }
      const lost = await on.server.call({
        method: 'POST',
        path: `${P}/chat/completions`,
        key,
        json,
      })
      assert.ok(lost.status >= 500, lost.text)
      const { items } = await dataOf(on.owner, '/calls?unsettled=true')
      assert.equal(items.length, 1)
      const settle = {
        method: 'POST',
        path: `${consolePath}/calls/${items[0].id}/settle`,
        json: { cost: 0 },
      }
      refusedAs(await on.server.call({ ...settle, key }), 403, 'INSUFFICIENT_SCOPE')
      const free = await on.owner.newKey({ name: 'free', scopes })
      assert.equal((await on.server.call({ ...settle, key: free })).status, 200)
    })
  },
  { EMBEDDED_OPTIONS: 'failEvery=1,failAs=lost', MODELS_FILE: file },
)
