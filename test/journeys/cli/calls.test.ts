import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { signUp } from '../../support/console.ts'
import { P } from '../../support/server.ts'
import { openSetting, type Setting } from './setting.ts'

/** As if the process had died while the picture was ordered, which cost 0.041 USD. */
async function loseOneCall({ server }: Setting, key: string): Promise<string> {
  const json = { model: 'demo-image', messages: [{ role: 'user', content: 'A pier' }] }
  const path = `${P}/images/generations`
  const { taskId } = (await server.call({ method: 'POST', path, json, key })).body
  for (let status = ''; status !== 'COMPLETED'; ) {
    await pause(20)
    status = (await server.call({ path: `${P}/tasks/${taskId}`, key })).body.data.status
    assert.notEqual(status, 'FAILED')
  }
  using db = new DatabaseSync(join(server.dataDir, 'atelier.db'))
  const [row] = db
    .prepare(
      `update ledger set outcome = 'UNKNOWN', remark = 'LOST', cost_micros = 41000 returning attempt`,
    )
    .all()
  return String(row?.attempt)
}

test('an owner lists calls whose cost nobody knows, and settles them', async (t) => {
  const setting = await openSetting(t, { SIGN_UP: 'open' })
  const { email, password, newKey } = await signUp(setting.server)
  const lost = await loseOneCall(setting, await newKey())
  const env = { ATELIER_EMAIL: email, ATELIER_PASSWORD: password }
  const calls = (...words: string[]) => setting.cli(['calls', ...words], { env })

  const listed = await calls('unsettled')
  assert.equal(listed.code, 0, listed.stderr)
  const [head = '', row = '', ...others] = listed.stdout.trim().split('\n')
  assert.match(head, /^CALL +MADE +MODEL +REMARK +COUNTED AS$/)
  assert.ok(row.startsWith(lost), row)
  assert.match(row, / demo-image +LOST +0\.041 USD$/)
  assert.deepEqual(others, [])

  const wrong = await calls('settle', lost, 'much')
  assert.deepEqual([wrong.code, /COST is what the provider billed/.test(wrong.stderr)], [2, true])
  const settled = await calls('settle', lost, '0.0125')
  assert.deepEqual([settled.code, settled.stdout], [0, `Settled ${lost} at 0.0125 USD\n`])
  assert.deepEqual(JSON.parse((await calls('unsettled', '--json')).stdout).items, [])
  const again = await calls('settle', lost, '0')
  assert.match(again.stderr, /CALL_NOT_FOUND/)
})
