import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { consolePath } from '../../support/console.ts'
import { at, dataOf, onBothDatabases } from './setting.ts'

type Listed = {
  id: string
  kind: string
  state: string
  why: string | null
  withOwnKey: boolean
  pricing: { standIn?: true } | null
  priceSource?: { date: string | null }
  priceDate: string | null
  lifecycle: { status: string; shutdownAt?: string }
}

const folder = mkdtempSync(join(tmpdir(), 'atelier-facts-'))
const MODELS_FILE = join(folder, 'models.json')
writeFileSync(
  MODELS_FILE,
  JSON.stringify({
    models: [
      { id: 'openai/gpt-image-2', enabled: false },
      { id: 'openai/nameless', provider: 'openai', kind: 'TEXT' },
    ],
  }),
)
after(() => rmSync(folder, { recursive: true }))

const secrets = { OPENAI_API_KEY: 'sk-very-secret', OPENAI_BASE_URL: 'http://10.0.0.7:9/v1' }

onBothDatabases(
  'facts of the server',
  (on) => {
    test('people see version, address, providers and limits, and nothing secret', async () => {
      const facts = await dataOf(on.owner, '/server')
      assert.match(facts.version, /^\d+\.\d+\.\d+$/)
      assert.equal(facts.baseUrl, on.server.url)
      const providers = new Map(
        facts.providers.map((one: { id: string }) => [one.id, one] as const),
      ) as Map<string, { configured: boolean; models: number }>
      assert.equal(providers.get('openai')?.configured, true)
      assert.ok((providers.get('openai')?.models ?? 0) > 0)
      assert.deepEqual(providers.get('fal'), {
        id: 'fal',
        configured: false,
        takesKeys: true,
        models: 0,
        deployments: [],
      })
      assert.equal(providers.get('embedded')?.configured, true)
      assert.deepEqual(
        [facts.limits.runPerMinute, facts.limits.requestsPerMinute, facts.limits.spendPerMonth],
        [7, null, { amount: 12, currency: 'USD' }],
      )
      assert.deepEqual([facts.retentionDays, facts.signUp, facts.oidc], [9, 'open', false])
      assert.doesNotMatch(JSON.stringify(facts), /very-secret|10\.0\.0\.7|postgres:/)
    })

    test('the catalogue lists every model with its state, the reason and its end', async () => {
      const read = async (person = on.owner): Promise<Map<string, Listed>> => {
        const { items } = await dataOf(person, '/model-catalogue')
        return new Map(items.map((item: Listed) => [item.id, item]))
      }
      const models = await read()
      const ready = models.get('openai/gpt-6-luna')
      assert.deepEqual([ready?.state, ready?.why, ready?.withOwnKey], ['ready', null, false])
      assert.match(ready?.priceDate ?? '', /^\d{4}-\d\d-\d\d$/)
      assert.equal(ready?.priceDate, ready?.priceSource?.date)
      const keyless = models.get('fal/flux-schnell')
      assert.equal(keyless?.state, 'no-key')
      assert.match(keyless?.why ?? '', /has a key for fal/)
      assert.equal(models.get('openai/gpt-image-2')?.state, 'disabled')
      assert.equal(models.get('openai/nameless')?.state, 'unpriced')
      assert.equal(models.get('demo-text')?.state, 'ready')
      // Kinds that only the compatible APIs offer are listed, too.
      const speech = models.get('openai/tts-1')
      assert.equal(speech?.kind, 'SPEECH')
      assert.deepEqual(speech?.lifecycle, { status: 'retiring', shutdownAt: '2027-01-06' })

      // A key of the account's own makes the models of its provider usable, for nobody else.
      const stored = await at(on.owner, '/credentials', {
        method: 'POST',
        json: { name: 'fal', kind: 'provider', provider: 'fal', secret: 'fk-secret-1' },
      })
      assert.equal(stored.status, 200, stored.text)
      const own = (await read()).get('fal/flux-schnell')
      assert.deepEqual([own?.state, own?.withOwnKey], ['ready', true])
      assert.equal((await read(on.stranger)).get('fal/flux-schnell')?.state, 'no-key')
      const set = await at(on.owner, '/stand-in-prices', {
        method: 'PUT',
        json: {
          model: 'openai/nameless',
          pricing: { inputPerMillionTokens: 1, outputPerMillionTokens: 2 },
        },
      })
      assert.equal(set.status, 200, set.text)
      const priced = (await read()).get('openai/nameless')
      assert.deepEqual([priced?.state, priced?.pricing?.standIn], ['ready', true])
    })

    test('nobody without a session sees them', async () => {
      for (const path of ['/server', '/model-catalogue']) {
        const answer = await on.server.call({ path: `${consolePath}${path}`, key: null })
        assert.equal(answer.status, 401)
      }
    })
  },
  { ...secrets, MODELS_FILE, RATE_LIMIT_RUN: '7', SPEND_LIMIT: '12', RETENTION_DAYS: '9' },
)
