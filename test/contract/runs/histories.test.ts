import { test } from 'node:test'
import fc from 'fast-check'
import { databases } from '../../support/databases.ts'
import { history, live } from './histories.ts'
import { assertLegal, migrations, watchTransitions } from './setting.ts'

// The long version is asked for by the environment.
const runs = Number(process.env.ATELIER_TEST_HISTORIES ?? 150)

for (const { name, open } of databases) {
  test(`${name}: whatever is submitted, repeated, cancelled, answered and killed, in any order, nothing is lost or paid twice`, async () => {
    await using database = await open({ migrations })
    const { db } = database
    await watchTransitions(db)
    const numRuns = name === 'sqlite' ? runs : Math.ceil(runs / 3)
    await fc.assert(
      fc.asyncProperty(history, (steps) => live(db, steps)),
      { numRuns },
    )
    await assertLegal(db)
  })
}
