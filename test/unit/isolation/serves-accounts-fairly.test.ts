import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createEvaluator } from '#graph/expressions/evaluator.ts'
import { openGraphTools } from '#graph/expressions/graph-tools.ts'
import { createFairQueue } from '#isolation/fair-queue.ts'

const evaluator = createEvaluator({ limitMs: 60_000, patienceMs: Number.POSITIVE_INFINITY })
after(() => evaluator.close())

const processes = 2
const slow = '$sum($map([1..3000], function($x) { $x * 2 }))'
const evaluate = (owner: string, expression: string) =>
  evaluator.evaluate({ owner, expression, input: {}, nowMs: 0, seed: '' })

/** Starts slow jobs that all have to wait for the two that run. */
async function occupy(owner: string, count: number) {
  await evaluate(owner, '1')
  const ended: Promise<unknown>[] = []
  let done = 0
  const countOne = () => {
    done++
  }
  for (let job = 0; job < count; job++) ended.push(evaluate(owner, slow).then(countOne))
  return { done: () => done, ended: Promise.all(ended) }
}

test('an account that comes later waits for the jobs that run, not for those that wait', async () => {
  const hostile = await occupy('hostile', 12)
  await evaluate('fair', '1')
  assert.ok(hostile.done() <= processes, `${hostile.done()} jobs of the other account came first`)
  await hostile.ended
})

test('saving a workflow does not wait for the expressions of running ones', async () => {
  await evaluator.checkExpressions('fair', ['1 + 1'])
  const hostile = await occupy('hostile', 6)
  const problems = await evaluator.checkExpressions('fair', ['1 +', '2 + 2'])
  assert.deepEqual(
    problems.map((problem) => problem === null),
    [false, true],
  )
  assert.ok(hostile.done() <= processes, `${hostile.done()} jobs of the other account came first`)
  await hostile.ended
})

test('a request that checks a schema does not wait for the schemas of running workflows', async () => {
  const tools = openGraphTools({ patienceMs: Number.POSITIVE_INFINITY })
  const endless = { schema: { pattern: '^(a+)+$' }, value: `${'a'.repeat(40)}!` }
  const quick = { schema: { type: 'string' }, value: 'a' }
  try {
    await Promise.all([
      tools.checkSchemas('fair', [quick]),
      tools.checkRunSchemas('hostile', [quick]),
    ])
    const order: string[] = []
    const hostile = tools.checkRunSchemas('hostile', [endless]).then(() => order.push('hostile'))
    await tools.checkSchemas('fair', [quick]).then(() => order.push('fair'))
    await hostile
    assert.deepEqual(order, ['fair', 'hostile'])
  } finally {
    await tools.close()
  }
})

test('what gets no answer within the given time is refused as retryable', async () => {
  const tools = openGraphTools({ patienceMs: 1 })
  const isRefused = { code: 'SERVICE_UNAVAILABLE' }
  try {
    await assert.rejects(tools.checkExpressions('account', ['a']), isRefused)
    const quick = { schema: { type: 'string' }, value: 'a' }
    await assert.rejects(tools.checkSchemas('account', [quick]), isRefused)
    await assert.rejects(tools.checkRunSchemas('account', [quick]), isRefused)
  } finally {
    await tools.close()
  }
})

test('accounts with equally many running jobs take turns', () => {
  const queue = createFairQueue<{ owner: string; name: string }>()
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'])
    queue.append({ owner: name.slice(0, 1), name })
  const order = Array.from({ length: 6 }, () => queue.next(() => 0)?.name)
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  assert.equal(
    queue.next(() => 0),
    undefined,
  )
})
