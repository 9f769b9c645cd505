import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createEvaluator } from '../../../../src/graph/expressions/evaluator.ts'

const evaluator = createEvaluator({ limitMs: 250, patienceMs: Number.POSITIVE_INFINITY })
after(() => evaluator.close())

const evaluate = (expression: string, input: unknown = {}, owner = 'account') =>
  evaluator.evaluate({ owner, expression, input, nowMs: 0, seed: '' })

const innocent = async (owner = 'neighbour') =>
  assert.deepEqual(await evaluate('a + 1', { a: 1 }, owner), { value: 2 })

const overruns: Record<string, string> = {
  'an endless recursion': '($f := function($x) { $f($x + 1) }; $f(1))',
  'a recursion without end that keeps its place': '($f := function($x) { 1 + $f($x) }; $f(1))',
  'a regular expression that backtracks for ever':
    '$match("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", /^(a+)+$/)',
  'a product of lists': '($x := [1..200]; $x@$a.$x@$b.$x@$c.$x@$d.{"a": $a})',
  'a huge text': '$pad("a", 400000000)',
  'a long list': '[1..9999999]',
  'a text that doubles': '$reduce([1..40], function($a, $b) { $a & $a }, "aaaaaaaa")',
  'a result beyond 1 MiB': '$pad("a", 2000000)',
}

for (const [name, expression] of Object.entries(overruns)) {
  test(`${name} is stopped, and other jobs are served`, async () => {
    const [reply] = await Promise.all([evaluate(expression), innocent(), innocent('account')])
    assert.ok('limit' in reply, JSON.stringify(reply).slice(0, 200))
    await innocent()
  })
}

test('an endless expression inside an expression is stopped', async () => {
  const reply = await evaluate('$eval("($f := function() { $f() }; $f())")')
  // Whichever notices first: JSONata's own limit, or the one of the process.
  const isStopped = 'limit' in reply || ('error' in reply && /timeout/.test(reply.error))
  assert.ok(isStopped, JSON.stringify(reply))
  await innocent()
})

test('an expression that is nested too deeply is refused', async () => {
  const reply = await evaluate(`${'('.repeat(20_000)}1`)
  assert.ok('limit' in reply || 'error' in reply)
  await innocent()
})

test('an expression that takes too long to parse is refused, and only that one', async () => {
  const short = createEvaluator({ limitMs: 100, patienceMs: Number.POSITIVE_INFINITY })
  try {
    const slow = `${'a.'.repeat(4000)}a`
    const [good, bad] = await short.checkExpressions('account', ['a', slow, 'b'])
    assert.equal(good, null)
    assert.match(String(bad), /too long to read/)
  } finally {
    short.close()
  }
})

test('expressions that together take too long to parse are refused', async () => {
  const slow = Array.from({ length: 200 }, (_, i) => `${'a.'.repeat(4000)}a${i}`)
  const problems = await evaluator.checkExpressions('account', slow)
  assert.equal(problems.length, 200)
  assert.ok(problems.some((problem) => problem !== null && /too long to read/.test(problem)))
})

const reaches = [
  '"".constructor',
  '$.constructor.constructor("return process")()',
  '$sum.constructor',
  '$string.implementation',
  '$lookup($sum, "implementation")',
  '$lookup($, "__proto__")',
  '$.__proto__.polluted',
  '$keys($sum)',
  '(function($x) { $x }).environment',
  '$now.constructor',
  'process',
  '$process',
  '$globalThis',
  'globalThis.process.env',
  'this',
  '$require("fs")',
  '$eval("process.env")',
]

for (const expression of reaches) {
  test(`${expression} reaches nothing`, async () => {
    const reply = await evaluate(expression, { a: 1 })
    assert.ok('error' in reply || ('value' in reply && reply.value === null), JSON.stringify(reply))
  })
}

test('no expression can affect the next one of any account', async () => {
  const attacks = [
    '{} ~> | $ | {"__proto__": {"polluted": 1}} |',
    '{"a": {}} ~> | a | {"constructor": {"prototype": {"polluted": 1}}} |',
    '$merge([{"__proto__": {"polluted": 1}}]).a',
    '$spread({"__proto__": {"polluted": 1}}).a',
    '$sift({"__proto__": {"polluted": 1}}, function($v) { true }).a',
    '($sum := function($x) { 666 }; $sum([1]))',
    '($now := "never"; $now)',
  ]
  for (const attack of attacks) await evaluate(attack)
  for (let i = 0; i < 8; i++) {
    const seen = await evaluate(
      '[$exists($.polluted), $exists({}.polluted), $sum([1, 2])]',
      {},
      `b${i}`,
    )
    assert.deepEqual(seen, { value: [false, false, 3] })
  }
})

test('a key called __proto__ does not leave the process', async () => {
  assert.ok('error' in (await evaluate('{"__proto__": {"x": 1}}')))
})

test('one account with many endless expressions does not block another', async () => {
  const loop = '$match("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", /^(a+)+$/)'
  const order: string[] = []
  const hostile = Array.from({ length: 7 }, () =>
    evaluate(loop, {}, 'hostile').then(() => order.push('hostile')),
  )
  const fair = evaluate('1', {}, 'fair').then(() => order.push('fair'))
  await Promise.all([...hostile, fair])
  assert.ok(order.indexOf('fair') <= 4, order.join())
})
