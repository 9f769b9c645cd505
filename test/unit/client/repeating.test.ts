import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AtelierError } from '../../../src/client/client.ts'
import { busy, cut, failed, ok, refused, scriptedClient } from './scripted.ts'

const chat = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] }
const graph = { nodes: [], connections: [] }

const errorOf = async (work: Promise<unknown>): Promise<AtelierError> => {
  const outcome = await work.then(
    () => undefined,
    (error: AtelierError) => error,
  )
  assert.ok(outcome, 'the call must fail')
  return outcome
}

test('a read whose connection broke is repeated', async () => {
  const { client, seen } = scriptedClient([cut(), refused(), ok({ items: [], total: 0 })])
  assert.deepEqual(await client.models.list(), { items: [], total: 0 })
  assert.equal(seen.length, 3)
})

test('a read whose answer breaks off is repeated', async () => {
  const broken = new Response(ReadableStream.from(brokenOff()))
  const { client } = scriptedClient([broken, ok({ items: [], total: 0 })])
  assert.equal((await client.models.list()).total, 0)
})

test('a call that nobody answers is given up after a minute', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { client, seen } = scriptedClient([
    ({ signal }) => new Promise((_, reject) => signal?.addEventListener('abort', reject)),
  ])
  const outcome = errorOf(client.images.generate(chat))
  while (seen.length === 0) await Promise.resolve()
  t.mock.timers.tick(60_000)
  assert.equal((await outcome).code, 'OUTCOME_UNKNOWN')
})

test('retries are limited, and the last failure is reported', async () => {
  const { client, seen, sleptMs } = scriptedClient([cut(), cut(), cut(), cut()])
  const error = await errorOf(client.models.list())
  assert.equal(error.code, 'CONNECTION_LOST')
  assert.equal(error.retryable, true)
  assert.equal(seen.length, 4)
  assert.deepEqual(sleptMs, [375, 750, 1500])
})

test('the pause is never shorter than Retry-After asks', async () => {
  const { client, sleptMs } = scriptedClient([
    busy({ 'retry-after': '7' }),
    busy({ 'retry-after': new Date(1_700_000_000_000 + 9_000).toUTCString() }),
    ok({ items: [] }),
  ])
  await client.models.list()
  assert.deepEqual(sleptMs, [7_350, 9_450])
})

test('a long Retry-After is reported, not waited for', async () => {
  const limited = failed(
    429,
    { code: 'QUOTA_EXCEEDED', retryable: true },
    { 'retry-after': '3600' },
  )
  const { client, sleptMs } = scriptedClient([limited])
  const error = await errorOf(client.models.list())
  assert.equal(error.retryAfterSeconds, 3600)
  assert.deepEqual(sleptMs, [])
})

test('what the server calls not retryable is asked once', async () => {
  const { client, seen } = scriptedClient([
    failed(404, { code: 'TASK_NOT_FOUND', retryable: false, details: { a: 1 } }),
  ])
  const error = await errorOf(client.tasks.get('t'))
  assert.deepEqual(
    { ...error },
    {
      name: 'AtelierError',
      code: 'TASK_NOT_FOUND',
      status: 404,
      retryable: false,
      details: { a: 1 },
      requestId: 'req_no',
    },
  )
  assert.equal(error.message, 'It is TASK_NOT_FOUND.')
  assert.equal(seen.length, 1)
})

test('chat, create and generation are never repeated after a lost answer', async () => {
  const calls = {
    chat: (client: Made) => client.chat.create(chat),
    create: (client: Made) => client.workflows.create({ name: 'n', data: graph }),
    image: (client: Made) => client.images.generate(chat),
    video: (client: Made) => client.videos.generate(chat),
  }
  const losses = {
    'a broken connection': () => cut(),
    'an answer that breaks off': () => new Response(ReadableStream.from(brokenOff())),
    'an answer of a gateway': () => new Response('<html>', { status: 502 }),
    'a failure of the server': () => failed(500, { code: 'INTERNAL_ERROR', retryable: false }),
  }
  for (const [name, call] of Object.entries(calls)) {
    for (const [loss, answer] of Object.entries(losses)) {
      const { client, seen } = scriptedClient([answer()])
      const error = await errorOf(call(client))
      assert.equal(error.code, 'OUTCOME_UNKNOWN', `${name}, ${loss}`)
      assert.equal(error.retryable, false)
      assert.equal(seen.length, 1)
    }
  }
})

async function* brokenOff() {
  yield new TextEncoder().encode('{"success":true,"da')
  throw cut()
}

type Made = ReturnType<typeof scriptedClient>['client']

test('chat is repeated where nothing was started, not where a provider may have worked', async () => {
  const waiting = scriptedClient([busy(), ok({ content: 'hello' })])
  assert.equal((await waiting.client.chat.create(chat)).content, 'hello')
  const worked = scriptedClient([failed(504, { code: 'PROVIDER_TIMEOUT', retryable: true })])
  const error = await errorOf(worked.client.chat.create(chat))
  assert.equal(error.code, 'PROVIDER_TIMEOUT')
  assert.equal(error.retryable, true)
  assert.equal(worked.seen.length, 1)
})

test('a generation that could not be sent at all is said to be repeatable', async () => {
  const { client, seen } = scriptedClient([refused()])
  const error = await errorOf(client.images.generate(chat))
  assert.deepEqual([error.code, error.retryable, seen.length], ['UNREACHABLE', true, 1])
})

test('a change is repeated when the server answers so, not when the answer is lost', async () => {
  const answered = scriptedClient([
    failed(500, { code: 'INTERNAL_ERROR', retryable: true }),
    ok({ version: 3 }),
  ])
  assert.equal(
    (await answered.client.workflows.update(1, { name: 'n' }, { ifMatch: 2 })).version,
    3,
  )
  assert.equal(answered.seen[1]?.headers.get('if-match'), '"v2"')
  const lost = scriptedClient([cut()])
  const error = await errorOf(lost.client.workflows.delete(1))
  assert.equal(error.code, 'OUTCOME_UNKNOWN')
  assert.match(error.message, /Read the workflow/)
})

test('a submission makes one key, repeats with it and shows it', async () => {
  const { client, seen } = scriptedClient([
    cut(),
    failed(409, { code: 'IDEMPOTENCY_IN_PROGRESS', retryable: true }, { 'retry-after': '1' }),
    ok({ runId: 'r', idempotentReplay: true, retryAfterSeconds: 1 }),
    ok({ runId: 'r2' }),
  ])
  const run = await client.runs.submit(7, { inputs: { a: 1 } })
  const keys = seen.map(({ headers }) => headers.get('idempotency-key'))
  assert.deepEqual(keys, [run.idempotencyKey, run.idempotencyKey, run.idempotencyKey])
  assert.match(run.idempotencyKey, /^[0-9a-f]{32}$/)
  assert.deepEqual(seen[2]?.body, { inputs: { a: 1 } })
  const other = await client.runs.submit(7)
  assert.notEqual(other.idempotencyKey, run.idempotencyKey)
})

test('a submission keeps the key it is given, and its error carries it', async () => {
  const { client, seen } = scriptedClient([cut(), cut(), cut(), cut()])
  const error = await errorOf(client.runs.submit(7, {}, { idempotencyKey: 'order-1' }))
  assert.equal(error.idempotencyKey, 'order-1')
  assert.equal(error.retryable, true)
  assert.ok(seen.every(({ headers }) => headers.get('idempotency-key') === 'order-1'))
})

test('a lost generation says to list tasks, and recover finds what it may have become', async () => {
  const task = {
    source: 'DIRECT',
    kind: 'IMAGE',
    model: 'm',
    createdAt: '2023-11-14T22:13:21.000Z',
  }
  const { client, seen } = scriptedClient([
    cut(),
    ok({
      items: [
        { ...task, taskId: 'mine' },
        { ...task, taskId: 'film', kind: 'VIDEO' },
        { ...task, taskId: 'other model', model: 'n' },
        { ...task, taskId: 'of a run', source: 'WORKFLOW' },
        { ...task, taskId: 'older', createdAt: '2023-11-14T22:00:00.000Z' },
      ],
    }),
  ])
  const error = await errorOf(client.images.generate(chat))
  assert.match(error.message, /tasks\.list\(\) or tasks\.recover\(error\)/)
  const found = await client.tasks.recover(error)
  assert.deepEqual(
    found.map(({ taskId }) => taskId),
    ['mine'],
  )
  assert.equal(seen[1]?.url, 'https://atelier.example.com/api/ai-tools/v1/tasks?size=200')
})

test('identifiers cannot lead to another path', async () => {
  const { client, seen } = scriptedClient([ok({})])
  await client.runs.node('../../x', 'a b/c')
  assert.match(seen[0]?.url ?? '', /workflow-runs\/\.\.%2F\.\.%2Fx\/nodes\/a%20b%2Fc$/)
  await assert.rejects(async () => client.tasks.get('..'), TypeError)
  await assert.rejects(async () => client.tasks.get(''), TypeError)
})
