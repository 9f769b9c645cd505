import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { P, startServer, type TestServer } from '../../support/server.ts'
import { addWorkflow, ended, graph } from '../runs/setting.ts'

let server: TestServer
let workflowId: number
before(async () => {
  server = await startServer()
  workflowId = await addWorkflow(server, echo)
})
after(() => server.stop())

const echo = graph(
  [
    { id: 'in', type: 'input.text', data: { required: true } },
    { id: 'out', type: 'output' },
  ],
  ['in -> out'],
)

const of = (id: number | string) =>
  `${P}/workflows/${workflowId}/triggers${id === '' ? '' : `/${id}`}`
const weekly = {
  name: 'weekly',
  kind: 'SCHEDULE',
  cron: '0 9 * * 1',
  timeZone: 'Europe/Berlin',
  inputs: { in: 'hello' },
}

const create = (json: object, key?: string) =>
  server.call({ method: 'POST', path: of(''), json, ...(key ? { key } : {}) })

async function created(json: object) {
  const { status, body, text } = await create(json)
  assert.equal(status, 200, text)
  return body.data
}

describe('a trigger', () => {
  test('is made, read, listed, changed and deleted', async () => {
    const made = await created(weekly)
    assert.equal(made.nextFirings.length, 5)
    for (const at of made.nextFirings) {
      const local = new Date(at).toLocaleString('en-GB', {
        timeZone: 'Europe/Berlin',
        weekday: 'short',
        timeStyle: undefined,
        hour: '2-digit',
        minute: '2-digit',
      })
      assert.equal(local, 'Mon 09:00')
    }
    assert.deepEqual(
      [made.overlap, made.catchUp, made.version, made.enabled],
      ['allow', 'last', 'latest', true],
    )
    const { triggerId } = made
    const read = await server.call(of(triggerId))
    assert.deepEqual(read.body.data, made)
    for (const path of [of(''), `${P}/triggers`]) {
      const { body } = await server.call(path)
      assert.deepEqual(
        body.data.items.map((one: { triggerId: string }) => one.triggerId),
        [triggerId],
      )
    }
    // A record may be sent back as it was read, also from a list.
    const { body: list } = await server.call(`${P}/triggers`)
    const json = {
      ...list.data.items[0],
      cron: null,
      timeZone: null,
      everySeconds: 60,
      name: ' every minute ',
    }
    const changed = await server.call({ method: 'PUT', path: of(triggerId), json })
    assert.equal(changed.status, 200, changed.text)
    assert.deepEqual(
      [changed.body.data.name, changed.body.data.cron, changed.body.data.timeZone],
      ['every minute', null, null],
    )
    const off = await server.call({ method: 'PUT', path: of(triggerId), json: { enabled: false } })
    assert.deepEqual(off.body.data.nextFirings, [])
    const gone = await server.call({ method: 'DELETE', path: of(triggerId) })
    assert.deepEqual(gone.body.data, { triggerId, deleted: true })
    const { status, body } = await server.call(of(triggerId))
    assert.deepEqual([status, body.error.code], [404, 'TRIGGER_NOT_FOUND'])
  })

  test('fires at its time, with its inputs', async () => {
    const at = new Date(Date.now() + 1_100).toISOString()
    const { triggerId } = await created({ name: 'once', kind: 'ONCE', at, inputs: { in: 'now' } })
    for (;;) {
      const { body } = await server.call(`${of(triggerId)}/firings`)
      const [firing] = body.data.items
      if (firing?.runId) {
        assert.equal(firing.scheduledAt, at)
        const run = await ended(server, firing.runId)
        assert.deepEqual(run.outputs, { out: 'now' })
        break
      }
    }
    const { body } = await server.call(of(triggerId))
    assert.deepEqual(body.data.nextFirings, [])
    assert.equal(body.data.lastFiring.status, 'STARTED')
  })

  test('fires by hand once for each key', async () => {
    const { triggerId } = await created({ ...weekly, enabled: false })
    const fire = (key?: string) =>
      server.call({
        method: 'POST',
        path: `${of(triggerId)}/fire`,
        headers: key ? { 'idempotency-key': key } : {},
      })
    const [first, again] = [await fire('k'), await fire('k')]
    assert.equal(first.status, 200, first.text)
    assert.ok(first.body.data.runId)
    assert.equal(again.body.data.runId, first.body.data.runId)
    assert.notEqual((await fire()).body.data.runId, first.body.data.runId)
    assert.deepEqual((await ended(server, first.body.data.runId)).outputs, { out: 'hello' })
    const { runId, runStatus } = (await fire('k')).body.data
    assert.deepEqual([runId, runStatus], [first.body.data.runId, 'COMPLETED'])
  })

  test('changes its form with what the other one had, as its record is sent back', async () => {
    const made = await created({ ...weekly, enabled: false })
    const change = async (json: object) => {
      const answer = await server.call({ method: 'PUT', path: of(made.triggerId), json })
      assert.equal(answer.status, 200, answer.text)
      return answer.body.data
    }
    const every = await change({ ...made, cron: null, everySeconds: 60 })
    assert.equal(every.timeZone, null)
    const daily = await change({ ...every, everySeconds: null, cron: '0 9 * * *' })
    assert.deepEqual([daily.startAt, daily.timeZone], [null, 'UTC'])
  })

  test('that is deleted while it is fired by hand fires, or is not found', async () => {
    for (let round = 0; round < 10; round++) {
      const path = of((await created({ ...weekly, enabled: false })).triggerId)
      const [, fired] = await Promise.all([
        server.call({ method: 'DELETE', path }),
        server.call({ method: 'POST', path: `${path}/fire` }),
      ])
      assert.ok([200, 404].includes(fired.status), fired.text)
    }
  })

  test('keeps the version that it names', async () => {
    const id = await addWorkflow(server, echo)
    const path = `${P}/workflows/${id}/triggers`
    const made = await server.call({ method: 'POST', path, json: { ...weekly, version: 1 } })
    const changed = graph(
      [
        { id: 'other', type: 'input.text' },
        { id: 'out', type: 'output' },
      ],
      ['other -> out'],
    )
    await server.call({ method: 'PUT', path: `${P}/workflows/${id}`, json: { data: changed } })
    const fire = (triggerId: string) =>
      server.call({ method: 'POST', path: `${path}/${triggerId}/fire` })
    const fired = await fire(made.body.data.triggerId)
    const run = await ended(server, fired.body.data.runId)
    assert.deepEqual([run.outputs, run.workflowVersion], [{ out: 'hello' }, 1])
    await server.call({
      method: 'PUT',
      path: `${path}/${made.body.data.triggerId}`,
      json: { version: 'latest', inputs: { other: 'x' } },
    })
    const latest = await ended(server, (await fire(made.body.data.triggerId)).body.data.runId)
    assert.equal(latest.workflowVersion, 2)
  })

  test('that cannot start a run says why', async () => {
    const id = await addWorkflow(server, echo)
    const path = `${P}/workflows/${id}/triggers`
    const made = await server.call({ method: 'POST', path, json: weekly })
    const { triggerId } = made.body.data
    const data = graph(
      [
        { id: 'n', type: 'input.number', data: { required: true } },
        { id: 'out', type: 'output' },
      ],
      ['n -> out'],
    )
    await server.call({ method: 'PUT', path: `${P}/workflows/${id}`, json: { data } })
    const fired = await server.call({ method: 'POST', path: `${path}/${triggerId}/fire` })
    assert.deepEqual(
      [fired.body.data.status, fired.body.data.reason, fired.body.data.runId],
      ['SKIPPED', 'INVALID_INPUT', null],
    )
    assert.ok(fired.body.data.message)
  })
})

describe('a trigger is refused', () => {
  const past = new Date(Date.now() - 1_000).toISOString()
  const cases: [string, object, string][] = [
    ['an unknown time zone', { ...weekly, timeZone: 'Europe/Berlinn' }, '/timeZone'],
    ['a date that never comes', { ...weekly, cron: '0 0 31 2 *' }, '/cron'],
    ['a cron expression with six fields', { ...weekly, cron: '0 0 9 * * 1' }, '/cron'],
    ['two forms of a schedule', { ...weekly, everySeconds: 60 }, '/cron'],
    ['no schedule', { name: 'x', kind: 'SCHEDULE' }, '/cron'],
    [
      'an interval under a minute',
      { name: 'x', kind: 'SCHEDULE', everySeconds: 59 },
      '/everySeconds',
    ],
    ['an end that has passed', { ...weekly, endAt: past }, '/endAt'],
    ['an end in a leap second', { ...weekly, endAt: '2999-06-30T23:59:60Z' }, '/endAt'],
    [
      'an end whose offset has no minutes',
      { ...weekly, endAt: '2999-06-30T10:00:00+01' },
      '/endAt',
    ],
    ['a time that has passed', { name: 'x', kind: 'ONCE', at: past }, '/at'],
    ['a time that is none', { name: 'x', kind: 'ONCE', at: 'tomorrow' }, '/at'],
    ['a setting of another kind', { ...weekly, respond: 'result' }, '/respond'],
    [
      'a start of a cron expression',
      { ...weekly, startAt: new Date(Date.now() + 86_400_000).toISOString() },
      '/startAt',
    ],
    [
      'a time zone of an interval',
      { name: 'x', kind: 'SCHEDULE', everySeconds: 60, timeZone: 'Europe/Berlin' },
      '/timeZone',
    ],
    ['a label of a version', { ...weekly, version: 'production' }, '/version'],
    ['a version beyond all numbers', { ...weekly, version: 1e308 }, '/version'],
    ['a missing input', { ...weekly, inputs: {} }, '/inputs'],
    ['inputs over 64 KiB', { ...weekly, inputs: { in: 'x'.repeat(70_000) } }, '/inputs'],
    ['a member that nobody knows', { ...weekly, every: 'day' }, '/every'],
  ]
  for (const [what, json, path] of cases) {
    test(`for ${what}`, async () => {
      const { status, body } = await create(json)
      assert.equal(status, 422)
      assert.ok(
        body.error.details.issues.some((issue: { path: string }) => issue.path.startsWith(path)),
        JSON.stringify(body.error),
      )
    })
  }

  test('for a new address of what has none, and a start that only the other form has', async () => {
    const { triggerId } = await created({ ...weekly, enabled: false })
    const startAt = new Date(Date.now() + 86_400_000).toISOString()
    for (const json of [{ newUrl: true }, { startAt }]) {
      const { status, text } = await server.call({ method: 'PUT', path: of(triggerId), json })
      assert.equal(status, 422, text)
    }
  })

  test('for a version that is not stored, and a workflow that is not there', async () => {
    const missing = await create({ ...weekly, version: 99 })
    assert.deepEqual([missing.status, missing.body.error.code], [404, 'VERSION_NOT_FOUND'])
    const path = `${P}/workflows/999999/triggers`
    assert.equal((await server.call({ method: 'POST', path, json: weekly })).status, 404)
  })
})
