import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consolePath } from '../../support/console.ts'
import { dataOf, onBothDatabases } from './setting.ts'

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
      })
      assert.equal(providers.get('embedded')?.configured, true)
      assert.deepEqual(
        [facts.limits.runPerMinute, facts.limits.requestsPerMinute, facts.limits.spendPerMonth],
        [7, null, { amount: 12, currency: 'USD' }],
      )
      assert.deepEqual([facts.retentionDays, facts.signUp, facts.oidc], [9, 'open', false])
      assert.doesNotMatch(JSON.stringify(facts), /very-secret|10\.0\.0\.7|postgres:/)
    })

    test('nobody without a session sees them', async () => {
      const answer = await on.server.call({ path: `${consolePath}/server`, key: null })
      assert.equal(answer.status, 401)
    })
  },
  { ...secrets, RATE_LIMIT_RUN: '7', SPEND_LIMIT: '12', RETENTION_DAYS: '9' },
)
