import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { deleteExpired } from '#operate/upkeep.ts'
import { insertAccount } from '#store/tables/accounts.ts'
import { insertAuditEntry, listAuditEntries } from '#store/tables/audit-entries.ts'
import { databases } from '../../support/databases.ts'
import { migrations } from '../tasks/setting.ts'

const dayMs = 86_400_000

for (const { name, open } of databases) {
  describe(`retention of the audit log on ${name}`, () => {
    test('entries older than AUDIT_DAYS are deleted, also more than one chunk, and no others', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const nowMs = 100 * dayMs
      const accounts = [randomUUID(), randomUUID()] as const
      const nobody = { userId: null, keyId: null, ipAddress: null, action: 'sign-out' } as const
      await db.transaction(async (tx) => {
        for (const id of accounts) await insertAccount(tx, { id, name: 'Team', nowMs: 0 })
        const add = (accountId: string, target: string, at: number) =>
          insertAuditEntry(tx, { ...nobody, accountId, target, nowMs: at })
        for (let i = 0; i < 501; i++) await add(accounts[0], `old ${i}`, 50 * dayMs + i)
        await add(accounts[0], 'kept', 90 * dayMs)
        await add(accounts[1], 'old', 89 * dayMs)
        await add(accounts[1], 'kept too', nowMs)
      })
      const clock = { nowMs: () => nowMs }
      const media = { deleteExpired: async () => 0 }
      const config = { RETENTION_DAYS: 1, AUDIT_DAYS: 10 }
      await deleteExpired({ config, db, clock, media }, new AbortController().signal)
      const left = await Promise.all(
        accounts.map((id) => listAuditEntries(db, id, {}, { before: null, limit: 1_000 })),
      )
      assert.deepEqual(
        left.map((rows) => rows.map(({ target }) => target)),
        [['kept'], ['kept too']],
      )
    })
  })
}
