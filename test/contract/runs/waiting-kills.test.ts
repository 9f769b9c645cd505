import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { migrations } from './setting.ts'
import { liveThroughKill } from './waiting-kills.ts'
import { assertLegal, watchTransitions } from './watch.ts'

for (const { name, open } of databases) {
  for (const moment of ['before', 'after'] as const) {
    test(`${name}: killed ${moment} any commit, a run that waits goes on once, as it was answered`, async () => {
      await using database = await open({ migrations })
      const { db } = database
      await watchTransitions(db)
      let sawAll = false
      for (let commits = 1; !sawAll; commits++) {
        assert.ok(commits < 60, 'a run makes so many commits')
        // Times take longer to come than answers, and pass through the same commits.
        const waitsFor = commits % 4 === 0 ? ('time' as const) : ('answer' as const)
        const { hasSeenEnd } = await liveThroughKill(db, { commits, moment, waitsFor })
        sawAll = hasSeenEnd && waitsFor === 'answer'
      }
      await assertLegal(db)
    })
  }
}
