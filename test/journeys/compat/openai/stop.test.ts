import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newCustomer } from '../../generation/setting.ts'
import { clientOf, openGateway, says } from './setting.ts'

test('an answer of a demo model that is told where to stop', async (t) => {
  const bench = await openGateway(t)
  const { key } = await newCustomer(bench)
  const { completions } = clientOf(bench, key).chat
  const sentence = 'Alpha beta gamma delta epsilon zeta eta theta iota kappa'
  const order = {
    model: 'demo-text',
    messages: says(`Reply with exactly: ${sentence}`),
    top_p: 0.9,
  }
  const streamed = async (stop: string | string[]) => {
    const stream = await completions.create({ ...order, stop, stream: true })
    const choices = (await Array.fromAsync(stream)).flatMap(({ choices }) => choices)
    return {
      pieces: choices.flatMap(({ delta }) => delta.content || []),
      finish: choices.at(-1)?.finish_reason,
    }
  }

  await t.test('ends there when it comes whole', async () => {
    const { choices, usage } = await completions.create({ ...order, stop: ['zeta', 'epsilon'] })
    assert.equal(choices[0]?.message.content, 'Alpha beta gamma delta ')
    assert.equal(choices[0]?.finish_reason, 'stop')
    assert.equal(usage?.completion_tokens, 6)
  })

  await t.test('ends there when it is streamed, though two pieces share the words', async () => {
    const { pieces } = await streamed('nowhere in it')
    assert.equal(pieces.join(''), sentence)
    const [first = '', second = ''] = pieces
    assert.ok(second !== '', 'it came in one piece')
    const across = first.slice(-2) + second.slice(0, 2)
    const cut = await streamed(across)
    assert.equal(cut.pieces.join(''), first.slice(0, -2))
    assert.equal(cut.finish, 'stop')
  })

  await t.test('is empty, and no error, when it would begin there', async () => {
    const { choices } = await completions.create({ ...order, stop: 'Alpha' })
    assert.deepEqual([choices[0]?.message.content, choices[0]?.finish_reason], ['', 'stop'])
    assert.deepEqual(await streamed('Alpha'), { pieces: [], finish: 'stop' })
  })
})
