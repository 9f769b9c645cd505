import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { Stop } from '#core/stop.ts'
import { createLanes } from '#engine/calls/lanes.ts'
import { ProviderError } from '#providers/provider.ts'
import { lanesIn } from '#store/engine/lanes.ts'
import { databases } from '../../support/databases.ts'
import { migrations } from '../auth/setting.ts'
import { serveCrowd } from './lane-rounds.ts'

for (const { name, open } of databases) {
  describe(`the limits of a provider key on ${name}`, () => {
    test('hold over all processes, and an account with many calls delays nobody', async () => {
      await using opened = await open({ migrations })
      const processes = opened.db.isShared ? 3 : 1
      const limits = { concurrency: 6 }
      const crowd = { processes, limits, many: 100, few: 9, each: 4, callMs: 0 }
      const { most, served } = await serveCrowd(opened.db, crowd)
      assert.ok(most <= 6, `${most} at once`)
      assert.equal(served.length, 136)
      const last = served.findLastIndex((account) => account !== 'big')
      // Alone they would take 36 turns; beside another one, twice as many at most.
      assert.ok(last < 72 + 6 * processes, `the last of the small ones went after ${last}`)
    })

    test('let whoever leaves leave, and what was theirs is used by others', async () => {
      await using opened = await open({ migrations })
      const onError = (error: unknown) => assert.fail(String(error))
      const lanes = createLanes({
        store: lanesIn(opened.db),
        clock: systemClock,
        limitsOf: (provider) => (provider === 'p' ? { concurrency: 1 } : undefined),
        user: 'only',
        onError,
      })
      const person = { accountId: 'a', isBatch: false, tokens: 0, model: 'm' }
      assert.equal(lanes.enter({ provider: 'free' }, { ...person, until: new Stop() }), undefined)
      const first = await lanes.enter({ provider: 'p' }, { ...person, until: new Stop() })
      const until = new Stop()
      const left = assert.rejects(
        lanes.enter({ provider: 'p' }, { ...person, until }) ?? Promise.resolve(),
        (error) => error instanceof ProviderError && error.outcome === 'not_sent',
      )
      const next = lanes.enter({ provider: 'p' }, { ...person, until: new Stop() })
      // Another key of the same provider has limits of its own.
      const own = { provider: 'p', credentialId: 'c' }
      await lanes.enter(own, { ...person, until: new Stop() })
      assert.deepEqual(lanes.waiting(), { people: 2, batch: 0 })
      until.abort(new Error('the caller left'))
      await left
      first?.left(null)
      await next
      await lanes.close()
    })
  })
}
