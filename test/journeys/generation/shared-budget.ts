import assert from 'node:assert/strict'
import { chat, newCustomer, openBench, says } from './setting.ts'

/** Costs exactly what it reserves: the input has no price, and the answer is as long as it may be. */
const models = {
  models: [
    {
      id: 'test/fixed',
      provider: 'local',
      kind: 'TEXT',
      pricing: { inputPerMillionTokens: 0, outputPerMillionTokens: 1_000 },
    },
  ],
}
const answered = {
  do: 'say' as const,
  status: 200,
  body: {
    id: 'c',
    choices: [{ index: 0, finish_reason: 'length', message: { content: 'Hi' } }],
    usage: { prompt_tokens: 5, completion_tokens: 3 },
  },
}
const priceMicros = 3_000

/** So many chats at once under a tag whose budget is 1 USD. */
export async function chatTogether(calls: number, database: 'sqlite' | 'postgres' = 'sqlite') {
  const closing: (() => unknown)[] = []
  const after = (close?: unknown) => void closing.push(close as () => unknown)
  try {
    const bench = await openBench({ after }, { doubles: ['openai'], models, database })
    const { key, ask } = await newCustomer(bench)
    await ask('PUT', '/budgets', { scope: 'tag', target: 'a', period: 'day', limit: 1 })
    bench.doubles.openai.always('chat', answered)
    const asked = { model: 'test/fixed', messages: [says('Hello')], maxTokens: 3 }
    const headers = { 'x-atelier-tag': 'a' }
    const asking: ReturnType<typeof chat>[] = []
    while (asking.length < calls) {
      // More connections at one moment than a server queues would be refused by the system.
      await new Promise((resolve) => setTimeout(resolve, 100))
      const more = Math.min(200, calls - asking.length)
      asking.push(...Array.from({ length: more }, () => chat(bench, asked, { key, headers })))
    }
    const answers = await Promise.all(asking)
    const made = answers.filter(({ status }) => status === 200).length
    const refused = answers.filter(({ status }) => status === 403).length
    const { body } = await ask('GET', '/budgets')
    const [{ spent, reserved }] = body.data.items
    const fit = Math.min(calls, Math.floor(1_000_000 / priceMicros))
    assert.deepEqual({ made, refused }, { made: fit, refused: calls - fit })
    assert.equal(spent.amount, (fit * priceMicros) / 1e6)
    assert.equal(reserved.amount, 0)
    return { made, refused, spent: spent.amount }
  } finally {
    for (const close of closing) await close()
  }
}
