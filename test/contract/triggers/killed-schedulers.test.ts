import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { rounds } from '../../support/rounds.ts'
import { migrations } from '../runs/setting.ts'
import { killSchedulers } from './kill-rounds.ts'

for (const { name, open } of databases) {
  describe(`schedulers on ${name}`, () => {
    test('three that die at random while the clock jumps fire every occurrence exactly once', async () => {
      await using database = await open({ migrations })
      const seed = Date.now() % 2 ** 31
      const count = rounds(name === 'sqlite' ? 200 : 100)
      const tally = await killSchedulers(database.db, { rounds: count, seed }).catch((error) => {
        throw new Error(`seed ${seed}`, { cause: error })
      })
      assert.ok(tally.kills > 0 && tally.firings > 0, JSON.stringify(tally))
    })
  })
}
