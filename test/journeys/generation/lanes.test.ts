import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openGateway, streamingModels } from '../compat/openai/setting.ts'
import { assertFailure, attempts, chat, newCustomer, says } from './setting.ts'

const asking = (content: string, model = 'test/openai') => ({ model, messages: [says(content)] })

test('a chat that a vendor refused with 429 waits as long as it was asked to', async (t) => {
  const env = { PROVIDER_WAIT_SECONDS: '10' }
  const bench = await openGateway(t, { doubles: ['openai', 'anthropic'], env })
  const { openai } = bench.doubles
  const { accountId, key } = await newCustomer(bench)
  const busy = (headers: Record<string, string>) =>
    ({ do: 'refuse', status: 429, headers }) as const

  await t.test('and is answered, with both attempts in the ledger', async () => {
    openai.script('chat', busy({ 'retry-after-ms': '40' }), busy({ 'retry-after-ms': '40' }))
    const answer = await chat(bench, asking('Patience'), { key })
    assert.equal(answer.status, 200, answer.text)
    const rows = (await attempts(bench)).filter((row) => row.account_id === accountId)
    assert.deepEqual(
      rows.map(({ outcome }) => outcome),
      ['REJECTED', 'REJECTED', 'SUCCEEDED'],
    )
  })

  await t.test(
    'but not over ten seconds: it is told when, and nobody else asks before',
    async () => {
      openai.script('chat', busy({ 'retry-after': '60' }))
      const asked = openai.counts.chat
      for (const words of ['Refused', 'Not even sent']) {
        const refused = await chat(bench, asking(words), { key })
        assertFailure(refused, 503, 'PROVIDER_UNAVAILABLE')
        assert.ok(Number(refused.headers['retry-after']) > 50)
      }
      assert.equal(openai.counts.chat, asked + 1)
      // Another provider is not concerned.
      assert.equal((await chat(bench, asking('Hello', 'test/anthropic'), { key })).status, 200)
    },
  )
})

test('a provider key with a limit in MODELS_FILE never has more calls under way', async (t) => {
  const models = { ...streamingModels, limits: [{ provider: 'openai', concurrency: 2 }] }
  const env = { PROVIDER_WAIT_SECONDS: '10' }
  const bench = await openGateway(t, { doubles: ['openai'], models, env })
  const { openai } = bench.doubles
  openai.script('chat', { do: 'hold' }, { do: 'hold' })
  const answers = Array.from({ length: 6 }, (_, index) => chat(bench, asking(`Chat ${index}`)))
  await openai.arrived('chat', 2)
  // A chat elsewhere comes and goes, and still no third one was sent.
  assert.equal((await chat(bench, asking('Demo', 'demo-text'))).status, 200)
  assert.equal(openai.counts.chat, 2)
  openai.release()
  for (const { status, text } of await Promise.all(answers)) assert.equal(status, 200, text)
  assert.equal(openai.counts.accepted, 6)
})
