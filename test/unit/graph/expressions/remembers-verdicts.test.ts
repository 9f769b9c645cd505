import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKept } from '#isolation/kept.mjs'
import { createVerdicts } from '../../../../src/graph/expressions/verdicts.ts'

type Verdict = { said: string }

/** Answers with the question itself, at the given cost. */
function subject({ spentMs = 1 } = {}) {
  const asked: string[] = []
  const judge = createVerdicts<Verdict>(
    (value) => ({ verdict: { said: String(value) }, spentMs }),
    (reason) => ({ said: `overrun: ${reason}` }),
  )
  const question = (key: string | null, text = key ?? '') => ({
    key,
    ask: async () => {
      asked.push(text)
      return text === 'endless' ? { limit: 'too long' } : { value: text }
    },
  })
  return { asked, judge, question }
}

const said = (verdicts: readonly (Verdict | null)[]) => verdicts.map((verdict) => verdict?.said)

test('a verdict is cached, unless it depends on more than the text', async () => {
  const { asked, judge, question } = subject()
  await judge([question('a'), question('b'), question(null, 'c')])
  const again = await judge([question('b'), question(null, 'c'), question('a')])
  assert.deepEqual(said(again), ['b', 'c', 'a'])
  assert.deepEqual(asked, ['a', 'b', 'c', 'c'])
})

test('an overrun is reported and not cached, and nothing after it is checked', async () => {
  const { asked, judge, question } = subject()
  const first = await judge([question('a'), question('endless'), question('b')])
  assert.deepEqual(said(first), ['a', 'overrun: too long', undefined])
  await judge([question('a'), question('endless')])
  assert.deepEqual(asked, ['a', 'endless', 'endless'])
})

test('many expensive ones are refused together, and a retry continues where it stopped', async () => {
  const { asked, judge, question } = subject({ spentMs: 2_000 })
  const questions = ['a', 'b', 'c', 'd', 'e'].map((key) => question(key))
  assert.match(String(said(await judge(questions))[3]), /together/)
  assert.deepEqual(asked, ['a', 'b', 'c'])
  assert.deepEqual(said(await judge(questions)), ['a', 'b', 'c', 'd', 'e'])
})

test('the cache of compiled programs is bounded by number and length, and evicts the least recently used', () => {
  const kept = createKept<number>({ entries: 3, chars: 10 })
  kept.set('a', 1)
  kept.set('b', 2)
  kept.set('c', 3)
  assert.equal(kept.get('a'), 1)
  kept.set('d', 4)
  assert.equal(kept.get('b'), undefined)
  assert.equal(kept.get('a'), 1)
  kept.set('long-one', 5)
  assert.deepEqual(
    ['c', 'd', 'a', 'long-one'].map((key) => kept.get(key)),
    [undefined, 4, 1, 5],
  )
  kept.set('longer-than-all', 6)
  assert.equal(kept.get('longer-than-all'), undefined)
  assert.equal(kept.get('a'), 1)
})
