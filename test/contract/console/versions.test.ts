import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ended, graph, started } from '../../journeys/runs/setting.ts'
import { consolePath } from '../../support/console.ts'
import { P } from '../../support/server.ts'
import { addWorkflow, at, type Console, dataOf, onBothDatabases, refusedAs } from './setting.ts'

const small = graph([{ id: 'topic', type: 'input.text', data: { default: 'x' } }])
const larger = graph([...small.nodes, { id: 'answer', type: 'output' }], ['topic -> answer'])

async function save(on: Console, id: number, json: object) {
  const answer = await on.api({ method: 'PUT', path: `${P}/workflows/${id}`, json })
  assert.equal(answer.status, 200, answer.text)
}

/** As the console saves: with a token made for the session. */
async function saveAsPerson(on: Console, id: number, data: object) {
  const token = await on.owner.call({ method: 'POST', path: `${consolePath}/tokens`, json: {} })
  const key = token.body.data.accessToken
  const answer = await on.server.call({
    method: 'PUT',
    path: `${P}/workflows/${id}`,
    key,
    json: { data },
  })
  assert.equal(answer.status, 200, answer.text)
}

onBothDatabases('versions of a workflow', (on) => {
  test('each saved graph says when, by whom, how large, and how many runs it had', async () => {
    const id = await addWorkflow(on, small)
    await ended({ call: on.api }, await started({ call: on.api }, id))
    await save(on, id, { name: 'only a name' })
    await saveAsPerson(on, id, larger)
    const { items, next } = await dataOf(on.owner, `/workflows/${id}/versions`)
    assert.equal(next, null)
    assert.deepEqual(
      items.map(({ version, nodeCount, connectionCount, note, runs }: Record<string, unknown>) => [
        version,
        nodeCount,
        connectionCount,
        note,
        runs,
      ]),
      [
        [3, 2, 1, null, 0],
        [1, 1, 0, null, 1],
      ],
    )
    assert.deepEqual([items[0].author.kind, items[0].author.name], ['user', on.owner.email])
    assert.deepEqual([items[1].author.kind, items[1].author.name], ['key', 'builder'])
    const old = await dataOf(on.owner, `/workflows/${id}/versions/1`)
    assert.deepEqual(old.data, small)
  })

  test('a note can be set, changed and taken away', async () => {
    const id = await addWorkflow(on, small)
    const note = (text: string | null) =>
      dataOf(on.owner, `/workflows/${id}/versions/1`, { method: 'PUT', json: { note: text } })
    assert.equal((await note('first draft\nof two')).note, 'first draft\nof two')
    assert.equal((await dataOf(on.owner, `/workflows/${id}/versions`)).items[0].note !== null, true)
    assert.equal((await note(null)).note, null)
    for (const json of [{}, { note: 5 }, { note: 'x'.repeat(501) }, { note: 'a\u0000b' }]) {
      const answer = await at(on.owner, `/workflows/${id}/versions/1`, { method: 'PUT', json })
      refusedAs(answer, 400, 'INVALID_REQUEST')
    }
  })

  test('what is not there is said, and nobody else learns of it', async () => {
    const id = await addWorkflow(on, small)
    const missing = `/workflows/${id}/versions/2`
    refusedAs(await at(on.owner, missing), 404, 'VERSION_NOT_FOUND')
    const noted = await at(on.owner, missing, { method: 'PUT', json: { note: 'x' } })
    refusedAs(noted, 404, 'VERSION_NOT_FOUND')
    for (const path of ['', '/1']) {
      const answer = await at(on.stranger, `/workflows/${id}/versions${path}`)
      refusedAs(answer, 404, 'WORKFLOW_NOT_FOUND')
    }
    const write = { method: 'PUT', json: { note: 'mine now' } }
    refusedAs(
      await at(on.stranger, `/workflows/${id}/versions/1`, write),
      404,
      'WORKFLOW_NOT_FOUND',
    )
    assert.equal((await dataOf(on.owner, `/workflows/${id}/versions/1`)).note, null)
    refusedAs(await at(on.owner, `/workflows/${id}/versions/0`), 400, 'INVALID_REQUEST')
    refusedAs(await at(on.owner, `/workflows/${id}/versions/9999999999`), 400, 'INVALID_REQUEST')
    await on.api({ method: 'DELETE', path: `${P}/workflows/${id}` })
    refusedAs(await at(on.owner, `/workflows/${id}/versions`), 404, 'WORKFLOW_NOT_FOUND')
  })

  test('the newest 50 are listed', async () => {
    const id = await addWorkflow(on, small)
    for (let i = 0; i < 52; i++) await save(on, id, { data: small })
    const { items } = await dataOf(on.owner, `/workflows/${id}/versions`)
    assert.deepEqual([items.length, items[0].version, items[49].version], [50, 53, 4])
  })
})
