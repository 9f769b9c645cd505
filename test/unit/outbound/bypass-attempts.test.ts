import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createGateway } from '#outbound/gateway.ts'
import { OutboundRefused } from '#outbound/outbound-errors.ts'
import { bypassAttempts, resolvedNames } from './bypass-attempts.ts'

const gateway = createGateway({
  allow: [],
  resolve: async (name) => resolvedNames[name] ?? ['93.184.216.34'],
})
const limits = { timeoutMs: 5_000, maxBytes: 1_000, signal: new AbortController().signal }

const refusal = (reason: string) => (error: unknown) => {
  assert.ok(error instanceof OutboundRefused, String(error))
  assert.equal(error.reason, reason)
  return true
}

it('the table holds at least 150 different attempts', () => {
  const urls = Object.values(bypassAttempts).flatMap((rows) => rows.map(([, url]) => url))
  assert.ok(new Set(urls).size >= 150, `only ${new Set(urls).size}`)
})

for (const [group, attempts] of Object.entries(bypassAttempts)) {
  describe(`${group}: refused at submission and at request`, () => {
    for (const [what, url, reason] of attempts) {
      it(`${what}: ${JSON.stringify(url.slice(0, 80))}`, async () => {
        await assert.rejects(gateway.check(url), refusal(reason))
        await assert.rejects(gateway.request(url, limits), refusal(reason))
      })
    }
  })
}
