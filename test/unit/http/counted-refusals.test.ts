import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConsoleContext, ConsoleOperation } from '#api/console/context.ts'
import { guarded } from '#api/console/guard.ts'
import type { Answer, CallContext } from '#api/operation.ts'
import { Failure } from '#core/errors.ts'
import { counted } from '#http/api-surface.ts'
import { StoreUnavailable } from '#store/db.ts'

const full = new Failure('RATE_LIMITED')
const noInput = { params: {}, query: {}, body: {} }

test('a refused credential counts against its address, a database that is away never', () => {
  let requests = 0
  const gate = { countAddress: () => (++requests > 2 ? full : null) }
  const wrong = new Failure('INVALID_CREDENTIAL')
  const away = new StoreUnavailable('away', { cause: null })
  for (let i = 0; i < 120; i++) assert.equal(counted(gate, '192.0.2.1', away), away)
  assert.equal(counted(gate, '192.0.2.1', wrong), wrong)
  assert.equal(counted(gate, '192.0.2.1', wrong), wrong)
  assert.equal(counted(gate, '192.0.2.1', wrong), full)
  assert.equal(counted(gate, '192.0.2.1', away), away)
})

const outcomes: [string, () => Promise<Answer>, number][] = [
  ['an answer', async () => ({ status: 200, body: {} }), 0],
  [
    'a redirect that signs in',
    async () => ({ status: 303, headers: { 'set-cookie': 'session=x' }, body: undefined }),
    0,
  ],
  ['a redirect that refuses', async () => ({ status: 303, body: undefined }), 1],
  ['a wrong password', () => Promise.reject(new Failure('INVALID_CREDENTIAL')), 1],
  ['an outage', () => Promise.reject(new StoreUnavailable('away', { cause: null })), 0],
]
for (const [what, handle, expected] of outcomes) {
  test(`${what} without a session counts ${expected} against its address`, async () => {
    let requests = 1
    const uncount = () => void requests--
    const operation = { access: 'public', method: 'GET', handle } as unknown as ConsoleOperation
    const context = { uncount } as unknown as ConsoleContext & CallContext
    const answered = guarded(operation).handle(context, noInput)
    await Promise.resolve(answered).catch(() => {})
    assert.equal(requests, expected)
  })
}
