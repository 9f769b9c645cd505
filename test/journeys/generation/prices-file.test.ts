import assert from 'node:assert/strict'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { type Body, P } from '../../support/server.ts'
import { type Bench, chat, eventually, newCustomer, openBench, says } from './setting.ts'

const models = {
  models: [
    { id: 'test/theirs', provider: 'local', kind: 'TEXT' },
    {
      ...{ id: 'test/ours', provider: 'local', kind: 'TEXT' },
      pricing: { inputPerMillionTokens: 7, outputPerMillionTokens: 7 },
    },
  ],
}
const pricesOf = (input: number, date = '2026-11-17') => {
  const pricing = { inputPerMillionTokens: input, outputPerMillionTokens: 10 }
  const names = ['test/theirs', 'test/ours', 'openai/gpt-6-luna']
  const prices = Object.fromEntries(names.map((name) => [name, pricing]))
  return { source: 'https://example.com/list', date, prices }
}

async function openWithPrices(t: TestContext, first: object) {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-prices-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'prices.json')
  /** As editors and clusters do it: the new file takes the place of the old one. */
  const write = async (content: object | string) => {
    await writeFile(`${path}.new`, typeof content === 'string' ? content : JSON.stringify(content))
    await rename(`${path}.new`, path)
  }
  await write(first)
  const open = () => openBench(t, { doubles: ['openai'], models, env: { PRICES_FILE: path } })
  return { write, open }
}

const modelOf = async (bench: Bench, id: string): Promise<Body> =>
  (await bench.call(`${P}/models`)).body.data.items.find((one: Body) => one.id === id)
const hello = [says('Hello')]

describe('PRICES_FILE', () => {
  test('prices models, below MODELS_FILE and above what is built in, with date and source', async (t) => {
    const { open } = await openWithPrices(t, pricesOf(5))
    const bench = await open()
    const seen = async (id: string) => {
      const { pricing, priceSource } = await modelOf(bench, id)
      return [pricing.inputPerMillionTokens, priceSource.source, priceSource.date]
    }
    assert.deepEqual(await seen('test/theirs'), [5, 'https://example.com/list', '2026-11-17'])
    assert.deepEqual(await seen('openai/gpt-6-luna'), [5, 'https://example.com/list', '2026-11-17'])
    assert.deepEqual(await seen('test/ours'), [7, 'MODELS_FILE', null])
    const [, source] = await seen('openai/gpt-6-sol')
    assert.match(String(source), /^npm:@pydantic\/genai-prices@/)
    const { body } = await chat(bench, { model: 'test/theirs', messages: hello })
    assert.equal(body.data.cost.amount, (21 * 5 + 8 * 10) / 1e6)
  })

  test('is read again when it changes, and stays as it was if the new one is no good', async (t) => {
    const { open, write } = await openWithPrices(t, pricesOf(5))
    const bench = await open()
    const { ask } = await newCustomer(bench)
    const facts = async () => (await ask('GET', '/server')).body.data.pricesFile
    const price = async () =>
      (await modelOf(bench, 'test/theirs')).pricing.inputPerMillionTokens as number
    assert.deepEqual([(await facts()).isRefused, (await facts()).date], [false, '2026-11-17'])
    for (const bad of ['{', { ...pricesOf(1), prices: { a: { perImage: -1 } } }]) {
      await write(bad)
      await eventually(facts, ({ isRefused }) => isRefused)
      assert.equal(await price(), 5)
    }
    await write(pricesOf(3, '2026-11-18'))
    await eventually(price, (input) => input === 3)
    const { isRefused, date, models: count } = await facts()
    assert.deepEqual([isRefused, date, count], [false, '2026-11-18', 3])
  })

  test('that is invalid stops a start, with its name', async (t) => {
    const { open, write } = await openWithPrices(t, {})
    await assert.rejects(open(), /PRICES_FILE .*prices\.json is invalid/)
    await write({ sample: { litellm_provider: 'local', input_cost_per_token: 1e-6 } })
    await open()
  })
})
