import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consolePath, type Person, personOf } from '../../support/console.ts'
import { P } from '../../support/server.ts'
import { addWorkflow, at, type Console, dataOf, onBothDatabases, refusedAs } from './setting.ts'

type Listed = { id: number; name: string; tags: string[] }
type Page = { items: Listed[]; next: string | null; total: number; totalIsExact: boolean }

const graph = (label = 'Ask', model = 'demo-text') => ({
  nodes: [
    { id: 'a', type: 'text.generate', data: { label, model, prompt: 'secret words' } },
    { id: 'out', type: 'output', data: {} },
  ],
  connections: [{ source: 'a', sourceHandle: 'text', target: 'out' }],
})

const list = (person: Person, query = ''): Promise<Page> => dataOf(person, `/workflows?${query}`)
const names = async (person: Person, query = '') =>
  (await list(person, query)).items.map(({ name }) => name)
const bulk = (person: Person, json: object) =>
  at(person, '/workflows/bulk', { method: 'POST', json })

/** Every name of the list, page by page. */
async function allNames(person: Person, query: string): Promise<string[]> {
  const found: string[] = []
  let cursor = ''
  do {
    const page = await list(person, `${query}&size=2${cursor && `&cursor=${cursor}`}`)
    found.push(...page.items.map(({ name }) => name))
    cursor = page.next ?? ''
  } while (cursor !== '')
  return found
}

/** A colleague in the owner's account. */
async function colleague(on: Console, role: 'viewer' | 'editor'): Promise<Person> {
  const who = { email: `${crypto.randomUUID()}@example.com`, password: 'correct horse battery' }
  const json = { email: who.email, role }
  const made = await dataOf(on.owner, '/invitations', { method: 'POST', json })
  const token = new URL(made.link).hash.slice('#token='.length)
  const answer = await on.server.call({
    method: 'POST',
    path: `${consolePath}/invitations/accept`,
    key: null,
    headers: { origin: on.server.url },
    json: { token, password: who.password },
  })
  assert.equal(answer.status, 200, answer.text)
  return personOf(on.server, answer, who)
}

onBothDatabases('finding workflows', (on) => {
  const ids: Record<string, number> = {}
  test('workflows are found by name, label, node type and model, and by nothing else', async () => {
    ids.Harbour = await addWorkflow(on, graph('Describe the tide'), 'Harbour')
    ids.atlas = await addWorkflow(on, graph('Write code', 'demo-code'), 'atlas 100%')
    ids.Éclair = await addWorkflow(on, graph(), 'Éclair')
    assert.deepEqual(await names(on.owner, 'q=HARB'), ['Harbour'])
    assert.deepEqual(await names(on.owner, 'q=tide'), ['Harbour'])
    assert.deepEqual(await names(on.owner, 'q=demo-code'), ['atlas 100%'])
    assert.deepEqual(await names(on.owner, 'q=%C3%A9clair'), ['Éclair'])
    assert.equal((await list(on.owner, 'q=text.generate')).total, 3)
    assert.equal((await list(on.owner, 'q=generate%20text')).total, 3)
    assert.deepEqual(await names(on.owner, 'q=tide%20harbour'), ['Harbour'])
    assert.deepEqual(await names(on.owner, 'q=secret'), [])
    assert.deepEqual(await names(on.owner, 'q=100%25'), ['atlas 100%'])
    assert.deepEqual(await names(on.owner, 'q=_'), [])
    assert.deepEqual((await list(on.stranger, 'q=harbour')).items, [])
  })

  test('a workflow is found by what it is now, as soon as it is saved', async () => {
    const json = { name: 'Port', data: graph('Forecast') }
    const path = `${P}/workflows/${ids.Harbour}`
    assert.equal((await on.api({ method: 'PUT', path, json })).status, 200)
    assert.deepEqual(await names(on.owner, 'q=harbour'), [])
    assert.deepEqual(await names(on.owner, 'q=forecast'), ['Port'])
  })

  test('every order is complete by cursors, and a cursor belongs to its filters', async () => {
    assert.deepEqual(await allNames(on.owner, 'sort=changed'), ['Port', 'Éclair', 'atlas 100%'])
    assert.deepEqual(await allNames(on.owner, 'sort=created'), ['Éclair', 'atlas 100%', 'Port'])
    const byName = await allNames(on.owner, 'sort=name')
    assert.deepEqual([byName.indexOf('atlas 100%'), byName.length], [0, 3])
    assert.deepEqual(await allNames(on.owner, 'q=generate&sort=name'), byName)
    const { next } = await list(on.owner, 'q=generate&size=2')
    refusedAs(await at(on.owner, `/workflows?q=other&cursor=${next}`), 400, 'INVALID_REQUEST')
  })

  test('tags group workflows, and are found and counted', async () => {
    const chosen = { ids: [ids.Harbour, ids.atlas], expectedCount: 2 }
    const tagged = await bulk(on.owner, { action: 'tag', ...chosen, addTags: [' sea ', 'draft'] })
    assert.equal(tagged.body.data?.count, 2, tagged.text)
    assert.deepEqual(await names(on.owner, 'tag=sea&sort=name'), ['atlas 100%', 'Port'])
    const [first] = (await list(on.owner, 'tag=sea&q=forecast')).items
    assert.deepEqual(first?.tags, ['draft', 'sea'])
    await bulk(on.owner, { action: 'tag', ids: [ids.atlas], expectedCount: 1, removeTags: ['sea'] })
    const { items } = await dataOf(on.owner, '/workflow-tags')
    assert.deepEqual(items, [
      { tag: 'draft', workflows: 2 },
      { tag: 'sea', workflows: 1 },
    ])
    assert.deepEqual((await dataOf(on.stranger, '/workflow-tags')).items, [])
    refusedAs(await bulk(on.owner, { action: 'tag', ...chosen }), 400, 'INVALID_REQUEST')
  })

  test('what is exported and copied has its graph and its tags', async () => {
    const filter = { tag: 'draft' }
    const saved = await bulk(on.owner, { action: 'export', filter, expectedCount: 2 })
    const [one] = saved.body.data.workflows as { name: string; tags: string[]; data: object }[]
    assert.deepEqual([one?.name, one?.tags], ['atlas 100%', ['draft']])
    assert.deepEqual(one?.data, graph('Write code', 'demo-code'))
    const copied = await bulk(on.owner, {
      action: 'duplicate',
      ids: [ids.atlas],
      expectedCount: 1,
    })
    const [copy] = copied.body.data.ids
    const stored = await on.api(`${P}/workflows/${copy}`)
    assert.equal(stored.body.data.name, 'atlas 100% (copy)')
    assert.deepEqual(stored.body.data.data, graph('Write code', 'demo-code'))
    assert.equal((await list(on.owner, 'q=copy&tag=draft')).total, 1)
  })

  test('a change of another number than expected changes nothing', async () => {
    const filter = { q: 'atlas' }
    const wrong = await bulk(on.owner, { action: 'delete', filter, expectedCount: 1 })
    refusedAs(wrong, 412, 'PRECONDITION_FAILED')
    assert.deepEqual(wrong.body.error.details, { currentCount: 2 })
    const strange = await bulk(on.stranger, {
      action: 'delete',
      ids: [ids.atlas],
      expectedCount: 1,
    })
    refusedAs(strange, 412, 'PRECONDITION_FAILED')
    const half = { action: 'delete', ids: [ids.atlas, 999_999], expectedCount: 2 }
    const refused = await bulk(on.owner, half)
    refusedAs(refused, 412, 'PRECONDITION_FAILED')
    assert.deepEqual(refused.body.error.details, { currentCount: 1, goneIds: [999_999] })
    assert.equal((await list(on.owner, 'q=atlas')).total, 2)
  })

  test('what a deletion of many would end is told before', async () => {
    const filter = { q: 'atlas' }
    const before = await bulk(on.owner, { action: 'preview', filter, expectedCount: 2 })
    assert.deepEqual(before.body.data, { count: 2, triggers: { total: 0, names: [] } })
    for (const name of ['Tuesday', 'Monday', '3', '4', '5', '6']) {
      const json = { name, kind: 'SCHEDULE', cron: '0 9 * * 1' }
      const path = `${P}/workflows/${ids.atlas}/triggers`
      const made = await on.api({ method: 'POST', path, json })
      assert.equal(made.status, 200, made.text)
    }
    const chosen = { ids: [ids.atlas, ids.Harbour], expectedCount: 2 }
    const { body } = await bulk(on.owner, { action: 'preview', ...chosen })
    const names = ['3', '4', '5', '6', 'Monday']
    assert.deepEqual(body.data, { count: 2, triggers: { total: 6, names } })
    const other = { action: 'preview', ids: [ids.Harbour], expectedCount: 1 }
    assert.equal((await bulk(on.owner, other)).body.data.triggers.total, 0)
    refusedAs(await bulk(on.stranger, { ...other, expectedCount: 2 }), 412, 'PRECONDITION_FAILED')
  })

  test('viewers may search and export, and change nothing', async () => {
    const viewer = await colleague(on, 'viewer')
    assert.equal((await list(viewer, 'q=atlas')).total, 2)
    const filter = { q: 'atlas' }
    for (const action of ['delete', 'tag', 'duplicate']) {
      const answer = await bulk(viewer, { action, filter, expectedCount: 2, addTags: ['x'] })
      refusedAs(answer, 403, 'INSUFFICIENT_ROLE')
    }
    const saved = await bulk(viewer, { action: 'export', filter, expectedCount: 2 })
    assert.equal(saved.body.data.count, 2)
  })

  test('one search finds things of every kind, and only one’s own', async () => {
    const found = await dataOf(on.owner, '/search?q=demo-code')
    assert.deepEqual(found.workflows.map(({ name }: Listed) => name).sort(), [
      'atlas 100%',
      'atlas 100% (copy)',
    ])
    assert.deepEqual(
      found.models.map(({ id }: { id: string }) => id),
      ['demo-code'],
    )
    const keys = (await dataOf(on.owner, '/search?q=build')).keys
    assert.equal(keys[0]?.name, 'builder')
    const made = await on.api({
      method: 'POST',
      path: `${P}/images/generations`,
      headers: { 'idempotency-key': crypto.randomUUID() },
      json: {
        model: 'demo-image',
        messages: [{ role: 'user', content: 'A quiet harbour' }],
      },
    })
    const byWord = await dataOf(on.owner, '/search?q=quiet%20harbour&limit=1')
    assert.deepEqual(byWord.tasks[0]?.taskId, made.body.data.taskId)
    const byId = await dataOf(on.owner, `/search?q=${made.body.data.taskId}`)
    assert.equal(byId.tasks.length, 1)
    const strange = await dataOf(on.stranger, '/search?q=atlas')
    assert.deepEqual([strange.workflows, strange.runs, strange.tasks], [[], [], []])
    assert.deepEqual((await dataOf(on.stranger, '/search?q=harbour')).tasks, [])
    refusedAs(await at(on.owner, '/search?q='), 400, 'INVALID_REQUEST')
  })

  test('deleting many takes all of them, their tags too, and is recorded for each', async () => {
    const filter = { q: 'atlas' }
    const gone = await bulk(on.owner, { action: 'delete', filter, expectedCount: 2 })
    assert.equal(gone.body.data?.count, 2, gone.text)
    assert.equal((await list(on.owner, 'q=atlas')).total, 0)
    refusedAs(await on.api(`${P}/workflows/${ids.atlas}`), 404, 'WORKFLOW_NOT_FOUND')
    const { items } = await dataOf(on.owner, '/workflow-tags')
    assert.deepEqual(items, [
      { tag: 'draft', workflows: 1 },
      { tag: 'sea', workflows: 1 },
    ])
    const log = await dataOf(on.owner, '/audit?action=workflow.deleted')
    const targets = log.items.map(({ target }: { target: string }) => target)
    assert.ok(targets.includes(`${ids.atlas} atlas 100%`), `${targets}`)
    assert.equal(log.items.length, 2)
  })
})
