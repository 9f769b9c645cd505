import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Failure } from '#core/errors.ts'
import { createTokenCounter } from '#graph/estimates/token-counter.ts'

const counter = createTokenCounter()
after(() => counter.close())

const known: [string, number][] = [
  ['hello world', 2],
  ['', 0],
  ['The quick brown fox jumps over the lazy dog.', 10],
]
for (const [text, tokens] of known) {
  test(`"${text}" has ${tokens} tokens`, async () => {
    assert.equal(await counter.count(text), tokens)
  })
}

test('text that looks like a control token is counted as text', async () => {
  assert.ok((await counter.count('a <|endoftext|> b')) > 3)
})

test('a text without word breaks is counted in pieces, with nearly the same result', async () => {
  const tokens = await counter.count('a'.repeat(20_000))
  assert.ok(tokens >= 2400 && tokens <= 2600, String(tokens))
  assert.ok((await counter.count('漢'.repeat(20_000))) >= 20_000)
})

test('counts asked for together each get their own answer', async () => {
  const counts = await Promise.all(['one', 'one two', 'one two three'].map(counter.count))
  assert.deepEqual(counts, [1, 2, 3])
})

test('a count that takes too long can be asked for again', async () => {
  const hasty = createTokenCounter({ patienceMs: 1 })
  const isBusy = (error: unknown) =>
    error instanceof Failure && error.code === 'SERVICE_UNAVAILABLE'
  await assert.rejects(hasty.count('x'), isBusy)
  await hasty.close()
})

test('a closed counter rejects what waits', async () => {
  const closing = createTokenCounter()
  const waiting = closing.count('x')
  const outcome = assert.rejects(waiting, /stopping/)
  await closing.close()
  await outcome
})
