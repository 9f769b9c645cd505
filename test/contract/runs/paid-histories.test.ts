import { test } from 'node:test'
import fc from 'fast-check'
import { databases } from '../../support/databases.ts'
import { livePaid, paidHistory } from './paid-histories.ts'
import { migrations } from './setting.ts'

const histories = { sqlite: 25, postgres: 10 }

for (const { name, open } of databases) {
  test(`${name}: whatever fails, is cancelled, retried and killed, a run costs what the vendor billed, and nothing begins after a failure`, async () => {
    await using database = await open({ migrations })
    await fc.assert(
      fc.asyncProperty(paidHistory, (history) => livePaid(database.db, history)),
      // Processes interleave differently each time, so shorter histories would find other things.
      { numRuns: histories[name], endOnFailure: true },
    )
  })
}
