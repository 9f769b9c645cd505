// Who may make triggers do what, and in whose name their runs are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consolePath, type Person } from '../../support/console.ts'
import { addWorkflow, ended, graph, until } from '../runs/setting.ts'
import { callerOf, newEditor, onEachDatabase } from './hook-setting.ts'

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

  test('whoever changed it last counts as the one who started its runs (fourEyes)', async () => {
    const asking = graph(
      [
        { id: 'title', type: 'input.text' },
        { id: 'ask', type: 'wait.approval', data: { title: 'Publish?', fourEyes: true } },
        { id: 'out', type: 'output' },
      ],
      ['title -> ask.value', 'ask.approved -> out'],
    )
    const id = await addWorkflow(on.api, asking)
    const { path, triggerId } = await on.hook({}, id)
    const member = await newEditor(on)
    const asked = async (person: Person, runId: string) => {
      const { waitingFor } = await until(on.api, runId, (run) => run.waitingFor?.length > 0)
      const { waitId } = waitingFor[0]
      const json = { decision: 'approve' }
      const call = { method: 'POST', path: `${consolePath}/runs/${runId}/waits/${waitId}`, json }
      return (await person.call(call)).status
    }
    const decided = async (starter: Person, other: Person) => {
      const { body } = await on.send(path, { title: 'x' })
      assert.equal(await asked(starter, body.data.runId), 403)
      assert.equal(await asked(other, body.data.runId), 200)
      await ended(on.api, body.data.runId)
    }
    await decided(on.person, member)
    const { body } = await member.call({ method: 'POST', path: `${consolePath}/tokens`, json: {} })
    const theirs = callerOf(on.server, body.data.accessToken)
    const json = { name: 'theirs now' }
    const changed = await theirs.call({ method: 'PUT', path: `${on.at(id)}/${triggerId}`, json })
    assert.equal(changed.status, 200, changed.text)
    await decided(member, on.person)
  })
})
