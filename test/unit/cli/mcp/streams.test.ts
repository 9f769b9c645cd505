import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import fc from 'fast-check'
import { lineWriter, readLines } from '#cli/mcp/json-lines.ts'

/** The bytes of a text, cut into pieces at will. */
async function* pieces(text: string, sizes: readonly number[]) {
  const bytes = Buffer.from(text)
  let start = 0
  for (let i = 0; start < bytes.length; i++) {
    const end = start + (sizes[i % sizes.length] ?? 1)
    yield bytes.subarray(start, end)
    start = end
  }
}

const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 })
const line = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => !/[\r\n]/.test(text))

test('lines are the same however the bytes arrive', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line), cuts, async (lines, sizes) => {
      const text = lines.map((one) => `${one}\n`).join('')
      assert.deepEqual(await Array.fromAsync(readLines(pieces(text, sizes), 1000)), lines)
    }),
  )
})

test('a last line without a newline counts, and only a line that is too long is dropped', async () => {
  const read = (text: string) => Array.fromAsync(readLines(pieces(text, [3]), 5))
  assert.deepEqual(await read('12345\n123456\nabc'), ['12345', null, 'abc'])
  assert.deepEqual(await read('123456789'), [null])
})

test('a slow reader is waited for', async () => {
  const output = new PassThrough({ highWaterMark: 4 })
  const written = lineWriter(output)({ a: 1 })
  let isDone = false
  const done = written.then(() => {
    isDone = true
  })
  await new Promise(setImmediate)
  assert.equal(isDone, false)
  assert.equal(String(output.read()), '{"a":1}\n')
  await done
})
