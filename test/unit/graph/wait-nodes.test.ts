import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WaitEnd, WaitRequest } from '#graph/node/wait-request.ts'
import { inPlaces } from '#graph/types/item-places.ts'
import { findNodeType } from '#graph/types/table.ts'
import { graph, node, validate } from './graphs.ts'
import { execution } from './run-plan.ts'

async function problems(type: string, data: Record<string, unknown>) {
  const { validation } = await validate(graph([node('n', type, { value: 'x', ...data })]))
  return validation.errors.map(({ path }) => path.replace('/nodes/0/data', ''))
}

const approval = { title: 'Publish?' }
const form = { type: 'object', additionalProperties: false, properties: { why: {} } }
const url = 'https://example.com/jobs'

const settings: [string, Record<string, unknown>, string[]][] = [
  ['wait.delay', { seconds: 31_536_000 }, []],
  ['wait.delay', { until: '2027-01-31T09:00:00+01:00' }, []],
  ['wait.delay', { until: '{{when}}' }, []],
  ['wait.delay', {}, ['/seconds']],
  ['wait.delay', { seconds: 1, until: '2027-01-31T09:00:00Z' }, ['/until']],
  ['wait.delay', { seconds: 315_360_000 }, ['/seconds']],
  ['wait.delay', { seconds: 0 }, ['/seconds']],
  ['wait.delay', { until: '2027-01-31' }, ['/until']],
  ['wait.delay', { until: '2027-02-31T09:00:00Z' }, ['/until']],
  ['wait.delay', { until: '2027-01-31T09:00:00' }, ['/until']],
  ['wait.approval', approval, []],
  ['wait.approval', { ...approval, form, approvers: ['a@example.com'], fourEyes: true }, []],
  ['wait.approval', { ...approval, link: true, form, mayEdit: true }, []],
  ['wait.approval', {}, ['/title']],
  ['wait.approval', { ...approval, form: { type: 'object' } }, ['/form']],
  ['wait.approval', { ...approval, form: { ...form, $id: 'x' } }, ['/form/$id']],
  ['wait.approval', { ...approval, link: true, fourEyes: true }, ['/link']],
  ['wait.approval', { ...approval, link: true, approvers: ['a@example.com'] }, ['/link']],
  ['wait.approval', { ...approval, approvers: ['nobody'] }, ['/approvers/0']],
  ['wait.callback', {}, []],
  ['wait.callback', { request: { method: 'POST', url }, schema: { type: 'object' } }, []],
  ['wait.callback', { request: { method: 'POST' } }, ['/request/url']],
  ['wait.callback', { verify: { method: 'github' } }, ['/verify/credentials']],
  ['wait.callback', { expiresAfterSeconds: 31_536_001 }, ['/expiresAfterSeconds']],
]

for (const [type, data, expected] of settings) {
  const verdict = expected.length === 0 ? 'accepts' : 'refuses'
  test(`${type} ${verdict} ${JSON.stringify(data)}`, async () => {
    assert.deepEqual(await problems(type, data), expected)
  })
}

/** Executes a node that waits, and ends its wait so. */
async function waited(type: string, data: object, value: unknown, end: WaitEnd) {
  let asked: WaitRequest | undefined
  const context = execution({
    async wait(request) {
      asked = request
      return end
    },
  })
  const outputs = await findNodeType(type)?.execute?.(context, { ports: { value }, merged: [] }, {
    ...data,
  } as never)
  return { outputs, asked }
}

test('the time of a delay comes from the value', async () => {
  const value = { when: '2027-01-31T09:00:00Z' }
  const end = { status: 'PASSED', atMs: Date.parse(value.when) } as const
  const { outputs, asked } = await waited('wait.delay', { until: '{{when}}' }, value, end)
  assert.deepEqual(asked?.time, { untilMs: end.atMs })
  assert.deepEqual(outputs, { value, at: '2027-01-31T09:00:00.000Z' })
  await assert.rejects(
    waited('wait.delay', { until: '{{when}}' }, { when: 'soon' }, end),
    /until is "soon": it must be a time with its zone/,
  )
  await assert.rejects(
    waited('wait.delay', { until: '{{when}}' }, { due: 'soon' }, end),
    /\{\{when\}\} has no value: given are value, due\./,
  )
})

test('of approved, rejected and expired exactly one is active', async () => {
  const answered = (decision: 'approve' | 'reject', more = {}) =>
    ({ status: 'ANSWERED', atMs: 1, answer: { decision, ...more } }) as const
  const outputs = async (end: WaitEnd) =>
    (await waited('wait.approval', approval, 'v', end)).outputs
  assert.deepEqual(await outputs(answered('approve')), { approved: 'v', response: {} })
  const edited = answered('reject', { value: 'w', response: { why: 'x' } })
  assert.deepEqual(await outputs(edited), { rejected: 'w', response: { why: 'x' } })
  assert.deepEqual(await outputs({ status: 'EXPIRED', atMs: 1 }), { expired: 'v' })
})

test('waiting costs nothing, exactly', async () => {
  for (const [type, data] of [
    ['wait.delay', { seconds: 5 }],
    ['wait.approval', approval],
    ['wait.callback', {}],
  ] as const) {
    const estimated = await findNodeType(type)?.estimate({
      ...{ config: data, inputs: { ports: {}, merged: [] }, env: {} },
    } as never)
    assert.deepEqual([estimated?.cost, estimated?.exact], [{ low: 0, expected: 0, high: 0 }, true])
  }
})

test('an item that waits lets another begin, and needs a place to go on', async () => {
  const began: number[] = []
  const places: { release(): void; take(): Promise<void> | undefined }[] = []
  const ends: (() => void)[] = []
  const all = inPlaces(1, 3, async (index, place) => {
    began.push(index)
    places[index] = place
    await new Promise<void>((resolve) => {
      ends[index] = resolve
    })
  })
  assert.deepEqual(began, [0])
  places[0]?.release()
  assert.deepEqual(began, [0, 1])
  let isBack = false
  const back = places[0]?.take()?.then(() => {
    isBack = true
  })
  await Promise.resolve()
  assert.equal(isBack, false)
  places[1]?.release()
  await back
  // The one that came back was first.
  assert.deepEqual(began, [0, 1])
  for (const index of [0, 1, 2]) {
    ends[index]?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await all
  assert.deepEqual(began, [0, 1, 2])
})
