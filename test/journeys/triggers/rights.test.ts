// Who may make triggers do what, and in whose name their runs are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callerOf, onEachDatabase } from './hook-setting.ts'

onEachDatabase('the rights to a trigger', { SIGN_UP: 'open' }, (on) => {
  for (const missing of ['workflows:write', 'runs:write']) {
    test(`nobody makes, changes, fires or deletes one without ${missing}`, async () => {
      const { triggerId } = await on.hook()
      const scopes = ['workflows:read', 'workflows:write', 'runs:read', 'runs:write']
      const given = scopes.filter((scope) => scope !== missing)
      const limited = callerOf(on.server, await on.person.newKey({ scopes: given }))
      const path = `${on.at()}/${triggerId}`
      const calls = [
        { method: 'POST', path: on.at(), json: { name: 'theirs', kind: 'WEBHOOK' } },
        { method: 'PUT', path, json: { name: 'renamed' } },
        { method: 'POST', path: `${path}/fire` },
        { method: 'DELETE', path },
      ]
      for (const call of calls) {
        const { status, body } = await limited.call(call)
        const { code, details } = body.error
        assert.deepEqual([status, code], [403, 'INSUFFICIENT_SCOPE'], `${call.method} ${call.path}`)
        assert.equal(details.scope, missing)
      }
      assert.deepEqual(await on.firings(triggerId), [])
      assert.equal((await on.api.call(path)).body.data.name, 'hook')
      assert.equal((await limited.call(path)).status, 200)
    })
  }
})
