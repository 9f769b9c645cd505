import { describe, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { runKillRounds } from './kill-rounds.ts'

describe('processes killed at random moments under load', () => {
  for (const { name: database } of databases) {
    test(`lose no task and pay nothing twice on ${database}`, async (t) => {
      const seed = Date.now() % 2 ** 32
      t.diagnostic(`seed ${seed}`)
      const summary = await runKillRounds({ database, rounds: 1, seed })
      t.diagnostic(JSON.stringify(summary))
    })
  }
})
