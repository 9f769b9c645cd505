import { describe, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { runChatKillRounds } from './kill-rounds.ts'

describe('a server killed while many chats are under way', () => {
  for (const { name: database } of databases) {
    test(`has each of them in its ledger, as it was told, on ${database}`, async (t) => {
      const seed = Date.now() % 2 ** 32
      t.diagnostic(`seed ${seed}`)
      const summary = await runChatKillRounds({ database, rounds: 1, seed })
      t.diagnostic(JSON.stringify(summary))
    })
  }
})
