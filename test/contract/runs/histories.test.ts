import { test } from 'node:test'
import fc from 'fast-check'
import { databases } from '../../support/databases.ts'
import { rounds } from '../../support/rounds.ts'
import { history, live } from './histories.ts'
import { migrations } from './setting.ts'
import { assertLegal, watchTransitions } from './watch.ts'

const histories = { sqlite: 150, postgres: 50 }

for (const { name, open } of databases) {
  test(`${name}: whatever is submitted, repeated, cancelled, answered and killed, in any order, nothing is lost or paid twice`, async () => {
    await using database = await open({ migrations })
    const { db } = database
    await watchTransitions(db)
    await fc.assert(
      fc.asyncProperty(history, (steps) => live(db, steps)),
      // Processes interleave differently each time, so shorter histories would find other things.
      { numRuns: rounds(histories[name]), endOnFailure: true },
    )
    await assertLegal(db)
  })
}
