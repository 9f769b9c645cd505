import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createEvaluator, type Evaluation } from '../../../../src/graph/expressions/evaluator.ts'

const evaluator = createEvaluator({ patienceMs: Number.POSITIVE_INFINITY })
after(() => evaluator.close())

const evaluate = (expression: string, input: unknown = null, change: Partial<Evaluation> = {}) =>
  evaluator.evaluate({ owner: 'account', expression, input, nowMs: 0, seed: 'seed', ...change })

test('an expression gives its value', async () => {
  const input = { items: [{ price: 3 }, { price: 4 }] }
  assert.deepEqual(await evaluate('$sum(items.price)', input), { value: 7 })
})

test('an expression that finds nothing gives null', async () => {
  assert.deepEqual(await evaluate('missing.path', {}), { value: null })
})

test('a result is plain JSON: sequences are arrays and keys such as constructor survive', async () => {
  assert.deepEqual(await evaluate('{"constructor": 1, "toString": [1..3]}'), {
    value: { constructor: 1, toString: [1, 2, 3] },
  })
})

test('an expression that fails says where and why', async () => {
  const reply = await evaluate('1 + "a"')
  assert.ok('error' in reply)
  assert.match(reply.error, /number.*at character 3/)
})

test('an error the author raises comes back in their own words', async () => {
  assert.deepEqual(await evaluate('$error("no price given")'), {
    error: 'no price given (at character 7)',
  })
})

test('a function is refused as a result, and left out inside one', async () => {
  assert.ok('error' in (await evaluate('function($x) { $x }')))
  assert.ok('error' in (await evaluate('$sum')))
  assert.deepEqual(await evaluate('{"f": $sum, "g": function($x) { $x }, "n": 1}'), {
    value: { n: 1 },
  })
})

test('the same job gives the same time and randomness, another seed another', async () => {
  const text = '[$now(), $millis(), $random(), $shuffle([1..20])]'
  const [one, again, other] = await Promise.all([
    evaluate(text, null, { nowMs: 1_700_000_000_000 }),
    evaluate(text, null, { nowMs: 1_700_000_000_000 }),
    evaluate(text, null, { nowMs: 1_700_000_000_000, seed: 'other' }),
  ])
  assert.deepEqual(one, again)
  assert.notDeepEqual(one, other)
  assert.ok('value' in one && Array.isArray(one.value))
  assert.deepEqual(one.value.slice(0, 2), ['2023-11-14T22:13:20.000Z', 1_700_000_000_000])
})

test('many evaluations at once each get their own answer', async () => {
  const replies = await Promise.all(
    Array.from({ length: 500 }, (_, i) => evaluate('n * 2', { n: i }, { owner: `a${i % 7}` })),
  )
  assert.deepEqual(
    replies,
    replies.map((_, i) => ({ value: i * 2 })),
  )
})

test('parsing expressions reports the problem of each, in order', async () => {
  const [good, bad, empty] = await evaluator.checkExpressions('account', ['a.b', 'a.(', 'a'])
  assert.equal(good, null)
  assert.match(String(bad), /before end of expression|Syntax|Unexpected/)
  assert.equal(empty, null)
})

test('a closed evaluator refuses waiting and new jobs as retryable', async () => {
  const closing = createEvaluator()
  const job = { owner: 'a', expression: '1', input: 1, nowMs: 0, seed: '' }
  const waiting = assert.rejects(closing.evaluate(job), { code: 'SERVICE_UNAVAILABLE' })
  closing.close()
  await waiting
  await assert.rejects(closing.evaluate(job), { code: 'SERVICE_UNAVAILABLE', retryable: true })
})
