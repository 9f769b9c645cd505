// What becomes of each request to a webhook: its answer, and the row that its owner reads.
import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { freePort } from '../../support/free-port.ts'
import { createPauses } from '../../support/pauses.ts'
import { P } from '../../support/server.ts'
import { addWorkflow, ended, graph } from '../runs/setting.ts'
import { echo, type Hooks, onEachDatabase, secret } from './hook-setting.ts'

const asking = graph(
  [
    { id: 'title', type: 'input.text' },
    { id: 'ask', type: 'wait.approval', data: { title: 'Publish this?' } },
    { id: 'out', type: 'output' },
  ],
  ['title -> ask.value', 'ask.approved -> out'],
)

const metrics = `127.0.0.1:${await freePort()}`

const change = async (on: Hooks, triggerId: string, json: object, id?: number) => {
  const path = `${on.at(id)}/${triggerId}`
  const { status, text } = await on.api.call({ method: 'PUT', path, json })
  assert.equal(status, 200, text)
}

const rows = async (on: Hooks, triggerId: string, id?: number) =>
  (await on.firings(triggerId, id)).map(({ reason, count, runId }) => [reason, count, runId])

onEachDatabase('a request to a webhook', { METRICS_LISTEN: metrics }, (on) => {
  const broken = '{ "title": $error("no") }'

  test('that comes while it is off is told so before anything of it is evaluated', async () => {
    const settings = { mapping: broken, dedupe: { expression: '$error("no")' } }
    const { path, triggerId } = await on.hook({ ...settings, enabled: false })
    for (const body of [{ title: 'x' }, '{"title":', {}]) {
      const answer = await on.send(path, body)
      assert.deepEqual([answer.status, answer.body.error.code], [503, 'TRIGGER_PAUSED'])
    }
    assert.deepEqual(await rows(on, triggerId), [['PAUSED', 3, null]])
  })

  test('that made a run gets its answer again although it is off, and 410 once it is deleted', async () => {
    const id = await addWorkflow(on.api, echo)
    const { path, triggerId } = await on.hook({ respond: 'result' }, id)
    const send = () => on.send(path, { title: 'x' }, { 'webhook-id': 'one' })
    const first = await send()
    assert.equal(first.status, 200, first.text)
    await change(on, triggerId, { enabled: false, mapping: broken }, id)
    assert.deepEqual((await send()).body, first.body)
    await on.api.call({ method: 'DELETE', path: `${on.at(id)}/${triggerId}` })
    const gone = await on.send(path, '{"title":', { 'webhook-id': 'two' })
    assert.deepEqual([gone.status, gone.body.error.code], [410, 'TRIGGER_GONE'])
  })

  test('that cannot be read is listed with what is wrong with it', async () => {
    const unread = [
      [{}, '{"title":', 400],
      [{ mapping: broken }, '{}', 422],
      [{ dedupe: { expression: '$error("no")' } }, '{}', 422],
      // It is mapped, and then the workflow misses an input.
      [{}, '{}', 422],
    ] as const
    for (const [settings, body, expected] of unread) {
      const { path, triggerId } = await on.hook(settings)
      const { status, body: answer } = await on.send(path, body)
      assert.equal(status, expected)
      assert.deepEqual(await rows(on, triggerId), [['INVALID_INPUT', 1, null]])
      const [{ message }] = await on.firings(triggerId)
      assert.equal(message, answer.error.message)
    }
  })

  test('that is left out again says why this time', async () => {
    const id = await addWorkflow(on.api, asking)
    const { path, triggerId } = await on.hook({ overlap: 'skip' }, id)
    await on.send(path, { title: 'runs' })
    await change(on, triggerId, { mapping: broken }, id)
    const again = () => on.send(path, { title: 'x' }, { 'webhook-id': 'again' })
    assert.equal((await again()).status, 422)
    await change(on, triggerId, { mapping: null }, id)
    const { status, body } = await again()
    assert.deepEqual([status, body.data.reason], [202, 'SKIPPED_OVERLAP'])
    const [newest] = await on.firings(triggerId, id)
    assert.equal(newest.reason, 'SKIPPED_OVERLAP')
    await change(on, triggerId, { mapping: broken }, id)
    assert.equal((await again()).status, 422)
    assert.equal((await on.firings(triggerId, id))[0].reason, 'INVALID_INPUT')
  })

  test('that is repeated while the first still waits gets the answer of the same run', async () => {
    const slow = graph(
      [
        { id: 'title', type: 'input.text' },
        { id: 'rest', type: 'wait.delay', data: { seconds: 2 } },
        { id: 'out', type: 'output' },
      ],
      ['title -> rest.value', 'rest -> out'],
    )
    const id = await addWorkflow(on.api, slow)
    const { path, triggerId } = await on.hook({ respond: 'result' }, id)
    const send = () => on.send(path, { title: 'x' }, { 'webhook-id': 'one' })
    const first = send()
    for (;;) if ((await on.firings(triggerId, id))[0]?.runId) break
    const answers = await Promise.all([first, send(), send()])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
    for (const { body } of answers) assert.deepEqual(body, answers[0]?.body)
    assert.deepEqual(answers[0]?.body.data.outputs, { out: 'x' })
    assert.equal((await on.firings(triggerId, id)).length, 1)
  })

  test('that finds a hundred others in the queue is refused, and taken once there is room', async () => {
    const id = await addWorkflow(on.api, asking)
    const { path, triggerId } = await on.hook({ overlap: 'queue' }, id)
    const send = (title: string) => on.send(path, { title }, { 'webhook-id': title })
    const first = (await send('first')).body.data.runId
    for (let i = 0; i < 100; i++) {
      const { status, body } = await send(`${i}`)
      assert.deepEqual([status, body.data.runId], [202, null])
    }
    const { status, body } = await send('late')
    assert.deepEqual([status, body.error.code], [429, 'QUOTA_EXCEEDED'])
    assert.equal(body.error.details.reason, 'SKIPPED_OVERLAP')
    assert.equal((await on.firings(triggerId, id))[0].reason, 'SKIPPED_OVERLAP')
    await on.api.call({ method: 'POST', path: `${P}/workflow-runs/${first}/cancel`, json: {} })
    const pause = createPauses()
    for (;;) {
      const again = await send('late')
      if (again.status === 202) break
      await pause()
    }
    assert.equal((await on.firings(triggerId, id))[0].reason, null)
  })

  test('that nobody signed leaves nothing behind but a count', async () => {
    const { path, triggerId } = await on.hook({
      verify: { method: 'github', credentials: ['sender'] },
    })
    const before = await unverified()
    for (const body of ['{"title":"x"}', '{"title":']) {
      assert.equal((await on.send(path, body, signed(body, 'another'))).status, 401)
    }
    await change(on, triggerId, { enabled: false })
    assert.equal((await on.send(path, '{}')).status, 401, 'nobody learns that it is off')
    assert.deepEqual(await rows(on, triggerId), [])
    assert.equal((await unverified()) - before, 3)
    await change(on, triggerId, { enabled: true })
    const text = '{"title":"x"}'
    const { body } = await on.send(path, text, signed(text, secret))
    await ended(on.api, body.data.runId)
    assert.deepEqual(await rows(on, triggerId), [[null, 1, body.data.runId]])
    assert.equal((await unverified()) - before, 3)
  })
})

const signed = (body: string, with_: string) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', with_).update(body).digest('hex')}`,
  'x-github-delivery': randomUUID(),
})

async function unverified(): Promise<number> {
  const text = await (await fetch(`http://${metrics}/metrics`)).text()
  const line = text
    .split('\n')
    .find((one) => one.startsWith('atelier_trigger_firings_total') && one.includes('UNVERIFIED'))
  return line === undefined ? 0 : Number(line.split(' ').at(-1))
}
