import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildLimits } from '#providers/build-limits.ts'
import { parseModelsFile } from '#providers/models-file.ts'

const known = new Set(['openai', 'local'])
const limitsOf = (...limits: object[]) =>
  buildLimits(parseModelsFile(JSON.stringify({ limits })).limits ?? [], known)

test('limits are those of the named providers', () => {
  const limits = limitsOf({ provider: 'openai', requestsPerMinute: 500 }, { provider: 'local' })
  assert.deepEqual(limits.get('openai'), { requestsPerMinute: 500 })
  assert.equal(limits.get('local'), undefined)
})

test('limits of nobody, of somebody twice, or of nothing are refused by name', () => {
  assert.throws(() => limitsOf({ provider: 'opnai', concurrency: 1 }), /"opnai", which is no prov/)
  assert.throws(() => limitsOf({ provider: 'local' }, { provider: 'local' }), /"local" twice/)
  assert.throws(() => limitsOf({ provider: 'local', concurrency: 0 }), /concurrency/)
  assert.throws(() => limitsOf({ provider: 'local', perMinute: 1 }), /perMinute/)
})
