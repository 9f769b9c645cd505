import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { bench, billable, failureOf } from './subjects.ts'

const key = 'key-id-1234:very-secret-5678'

const everything = (error: unknown) => inspect(error, { depth: 20, showHidden: true })

for (const { subject, title, route, call } of billable) {
  test(`${title}: an answer that echoes the key does not spread it`, async (t) => {
    const it = await bench(t, subject, { key })
    const message = `Incorrect API key provided: ${key}. ${'x'.repeat(5000)}\0\r\nEvil: 1`
    it.double.script(route, { do: 'refuse', status: 401, message })
    const error = await failureOf(call(it))
    assert.equal(error.kind, 'auth')
    assert.doesNotMatch(everything(error), /very-secret/)
    assert.match(error.message, /^\P{C}{1,300}$/u)
  })

  test(`${title}: a broken connection tells no key`, async (t) => {
    const it = await bench(t, subject, { key })
    it.double.script(route, { do: 'cut', when: 'before-accepting' })
    assert.doesNotMatch(everything(await failureOf(call(it))), /very-secret/)
  })

  test(`${title}: the key never stands in an address`, async (t) => {
    const it = await bench(t, subject, { key })
    await call(it)
    assert.equal(it.double.counts.unauthorized, 0)
    for (const { path } of it.double.requests) assert.doesNotMatch(path, /secret/)
  })

  test(`${title}: a wrong key is our fault, and a refusal`, async (t) => {
    const it = await bench(t, subject, { key, apiKey: 'another-key' })
    const error = await failureOf(call(it))
    assert.deepEqual([error.kind, error.outcome], ['auth', 'rejected'])
    assert.equal(it.double.counts.accepted, 0)
  })
}
