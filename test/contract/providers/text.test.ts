import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bench, failureOf, texts } from './subjects.ts'

for (const { subject, request, title } of texts) {
  describe(`text from ${title}`, () => {
    test('the answer, its end, its usage and its request id reach the caller', async (t) => {
      const { generateText, double } = await bench(t, subject)
      const result = await generateText(request)
      assert.equal(result.text, 'You said: Hello')
      assert.equal(result.finish, 'stop')
      const counted = { inputTokens: 21, outputTokens: 8, cachedInputTokens: 5 }
      assert.deepEqual(result.usage, { ...counted, ...subject.usageParts })
      assert.match(result.requestId ?? '', /double/)
      assert.equal(double.counts.chat, 1)
    })

    test('many calls at once are each asked once and answered apart', async (t) => {
      const { generateText, double } = await bench(t, subject)
      const calls = Array.from({ length: 40 }, (_, index) =>
        generateText({ ...request, messages: [{ role: 'user', content: `number ${index}` }] }),
      )
      const results = await Promise.all(calls)
      assert.deepEqual(
        results.map(({ text }) => text),
        calls.map((_, index) => `You said: number ${index}`),
      )
      assert.equal(double.counts.accepted, 40)
    })

    test('an overload the provider documents as a refusal may be tried again', async (t) => {
      const { generateText, double } = await bench(t, subject)
      const status = subject.overloaded ?? 0
      double.script('chat', { do: 'refuse', status, headers: { 'retry-after': '3' } })
      const error = await failureOf(generateText(request))
      assert.equal(error.kind, 'busy')
      assert.equal(error.outcome, 'rejected')
      assert.equal(error.retryAfterMs, 3000)
      assert.equal(double.counts.chat, 1)
    })

    test('an overload page of some gateway in between is no such promise', async (t) => {
      const { generateText, double } = await bench(t, subject)
      const status = subject.overloaded ?? 0
      double.script('chat', { do: 'say', status, body: Buffer.from('<html>busy</html>') })
      const error = await failureOf(generateText(request))
      assert.equal(error.kind, 'busy')
      assert.equal(error.outcome, 'unknown')
    })
  })
}
