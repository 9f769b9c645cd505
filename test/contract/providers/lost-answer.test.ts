import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ImageRequest } from '#providers/provider.ts'
import { createReplicateProvider } from '#providers/replicate/adapter.ts'
import { type Bench, bench, failureOf, taskId } from './subjects.ts'

const replicate = {
  double: 'replicate',
  create: (at: { baseUrl: string; apiKey: string }) =>
    createReplicateProvider({ name: 'replicate', ...at }),
} as const
const request: ImageRequest = {
  kind: 'IMAGE',
  model: 'black-forest-labs/flux-schnell',
  prompt: 'A blue door',
}
const { signal } = new AbortController()

const find = (it: Bench, task = taskId, wanted = request) =>
  it.provider.find?.({ request: wanted, submittedAtMs: Date.now(), taskId: task }, { signal })

async function lose(it: Bench, wanted = request): Promise<void> {
  it.double.script('submit', { do: 'cut', when: 'after-accepting' })
  assert.equal((await failureOf(it.submit(wanted))).outcome, 'unknown')
}

describe('a submission to Replicate whose answer was lost', () => {
  test('is found again by its mark, and not paid for twice', async (t) => {
    const it = await bench(t, replicate)
    await lose(it)
    const ref = await find(it)
    assert.ok(ref !== null && ref !== undefined && ref !== 'unknown')
    it.double.jobs[0]?.plan.splice(0, 2)
    assert.equal((await it.poll(ref)).state, 'succeeded')
    assert.equal(it.double.counts.accepted, 1)
  })

  test('is not mistaken for a twin of another task', async (t) => {
    const it = await bench(t, replicate)
    await it.submit(request)
    assert.equal(await find(it, '0190d5a0-0000-7000-8000-0000000000ff'), 'unknown')
  })

  test('stays unknown when the listing lacks it: it may come yet', async (t) => {
    const it = await bench(t, replicate)
    assert.equal(await find(it), 'unknown')
  })

  test('stays unknown when the model cannot carry a mark', async (t) => {
    const it = await bench(t, replicate)
    const plain = { ...request, model: 'acme/plain' }
    await lose(it, plain)
    assert.equal(await find(it, taskId, plain), 'unknown')
    assert.equal(it.double.counts.list, 0)
  })

  test('stays unknown when two carry its mark', async (t) => {
    const it = await bench(t, replicate)
    await lose(it)
    await lose(it)
    assert.equal(await find(it), 'unknown')
  })

  test('is looked for on every page, but never on another host', async (t) => {
    const it = await bench(t, replicate)
    await lose(it)
    const next = `${it.double.origin}/v1/predictions?cursor=2`
    it.double.script('list', { do: 'say', status: 200, body: { results: [], next } })
    assert.deepEqual(await find(it), { v: 1, provider: 'replicate', id: 'job1' })
    assert.equal(it.double.counts.list, 2)
    const elsewhere = { results: [], next: 'http://127.0.0.1:9/v1/predictions' }
    it.double.script('list', { do: 'say', status: 200, body: elsewhere })
    assert.equal(await find(it), 'unknown')
  })

  test('is asked for from shortly before it was sent', async (t) => {
    const it = await bench(t, replicate)
    await find(it)
    const path = it.double.requests.at(-1)?.path ?? ''
    const since = Date.parse(new URL(path, 'http://x').searchParams.get('created_after') ?? '')
    assert.ok(since < Date.now() && since > Date.now() - 3_600_000)
  })
})
