// The live tests themselves, tried without a vendor: what they spend, keep and tell.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { type CatalogueEntry, createCatalogue, type Pricing } from '#core/catalogue.ts'
import { readConfig } from '../../../src/config.ts'
import { createBudget } from '../../live/budget.ts'
import { redact } from '../../live/redact.ts'
import { type Row, runLive } from '../../live/run-live.ts'
import { vendorsOf } from '../../live/vendors.ts'
import { startDouble } from '../../support/provider-doubles/double.ts'
import { wires } from '../../support/provider-doubles/wires.ts'

const pricing: Pricing = {
  currency: 'USD',
  inputPerMillionTokens: 1,
  outputPerMillionTokens: 10,
  perImage: 0.01,
}

const entry = (id: string, kind: 'TEXT' | 'IMAGE', price: Pricing | null): CatalogueEntry => {
  const [provider = '', ...rest] = id.split('/')
  const capabilities = { inputModalities: ['text' as const], structuredOutput: true }
  const model = { id, name: id, provider, kind, description: '', enabled: true, capabilities }
  return {
    model: { ...model, pricing: price },
    provider,
    providerModel: provider === 'replicate' ? 'black-forest-labs/flux-schnell' : rest.join('/'),
    fallbacks: [],
  }
}

async function live(
  t: TestContext,
  { limitMicros = 1_000_000, price = pricing as Pricing | null, only = ['openai'] } = {},
) {
  const openai = await startDouble(wires.openai)
  const replicate = await startDouble(wires.replicate)
  t.after(() => Promise.all([openai.close(), replicate.close()]))
  replicate.plan('succeeded')
  const config = readConfig({
    OPENAI_API_KEY: openai.key,
    OPENAI_BASE_URL: openai.url,
    REPLICATE_API_TOKEN: replicate.key,
    REPLICATE_BASE_URL: replicate.url,
  })
  const vendors = vendorsOf(config).filter(({ name }) => only.includes(name))
  const catalogue = createCatalogue([
    entry('openai/gpt-6-luna', 'TEXT', price),
    entry('openai/gpt-image-2', 'IMAGE', price),
    entry('replicate/flux-schnell', 'IMAGE', price),
  ])
  const budget = createBudget(limitMicros)
  const rows = await runLive({ vendors, catalogue, budget })
  return { rows, budget, openai, replicate }
}

const outcomes = (rows: Row[]) =>
  Object.fromEntries(rows.map(({ check, outcome }) => [check, outcome]))

describe('live tests', () => {
  test('try everything, count what it cost, and tell what does not hold', async (t) => {
    const { rows, budget } = await live(t)
    // The double takes any name and knows no schema: exactly that has to come out.
    assert.deepEqual(outcomes(rows), {
      chat: 'passed',
      stream: 'passed',
      'tool round trip': 'passed',
      'forced tool': 'passed',
      'JSON schema': 'failed',
      'a deliberate 400': 'failed',
      image: 'passed',
      'a deliberate refusal': 'failed',
    })
    const [chat] = rows
    assert.equal(chat?.micros, 21 + 8 * 10)
    assert.equal(
      budget.spentMicros,
      rows.reduce((sum, { micros }) => sum + micros, 0),
    )
  })

  test('never begin what the budget might not cover', async (t) => {
    const { rows, budget, openai } = await live(t, { limitMicros: 11_000 })
    assert.equal(outcomes(rows).chat, 'passed')
    assert.equal(outcomes(rows)['tool round trip'], 'skipped')
    assert.ok(budget.spentMicros <= budget.limitMicros)
    const nothing = await live(t, { limitMicros: 0 })
    assert.equal(nothing.openai.counts.accepted - nothing.rows.filter(isRefusal).length, 0)
    assert.ok(openai.counts.accepted > 0)
  })

  test('call no model whose price is not known', async (t) => {
    const { rows } = await live(t, { price: null })
    for (const row of rows.filter((one) => !isRefusal(one))) assert.equal(row.outcome, 'skipped')
  })

  test('follow a job to its end, and skip a vendor without a key', async (t) => {
    const { rows } = await live(t, { only: ['replicate', 'gemini'] })
    const told = rows.map(({ vendor, check, outcome }) => [vendor, check, outcome])
    assert.deepEqual(told.slice(0, 2), [
      ['gemini', 'all', 'skipped'],
      ['replicate', 'image', 'passed'],
    ])
  })
})

const isRefusal = ({ check }: Row) => check.startsWith('a deliberate')

describe('an answer that is kept', () => {
  const secret = 'fal-id:0123456789abcdef'
  const keep = (body: unknown, headers: Record<string, unknown> = {}) =>
    redact({ status: 200, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }, [
      secret,
    ])

  test('holds no key, no account, no signed address and no file', () => {
    const kept = JSON.stringify(
      keep(
        {
          error: `wrong key ${secret} or 0123456789abcdef`,
          other: 'sk-proj-abcdefghijklmnopqrstuvwxyz',
          organization: 'org-abcdef123456',
          owner: 'someone@example.com',
          url: 'https://replicate.delivery/a.png?signature=abc',
          b64_json: 'A'.repeat(5_000),
        },
        {
          'content-type': 'application/json',
          'set-cookie': 'session=1',
          'openai-organization': 'x',
        },
      ),
    )
    for (const bad of [
      '0123456789',
      'sk-proj',
      'org-abc',
      'example.com',
      'signature',
      'AAAA',
      'session',
    ])
      assert.ok(!kept.includes(bad), `${bad}: ${kept}`)
    assert.match(kept, /\[5000 characters\]/)
    assert.match(kept, /https:\/\/replicate\.delivery\/a\.png/)
  })

  test('keeps its shape, and the events of a stream one by one', () => {
    assert.deepEqual(keep({ id: 1, list: [true, null, 'x'] }).body, {
      id: 1,
      list: [true, null, 'x'],
    })
    const events = 'event: a\ndata: {"type":"a"}\n\ndata: {"type":"b"}\n\ndata: [DONE]\n\n'
    assert.deepEqual(keep(events).body, [{ type: 'a' }, { type: 'b' }, '[DONE]'])
  })
})
