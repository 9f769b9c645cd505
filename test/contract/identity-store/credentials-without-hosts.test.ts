import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { uuidV7 } from '#core/ids.ts'
import { credentialUser } from '#engine/runs/use-credential.ts'
import { credentialsIn } from '#store/engine/credentials.ts'
import { createSecretBox } from '#store/secret-box.ts'
import { insertCredential, replaceCredential } from '#store/tables/credentials.ts'
import { databases } from '../../support/databases.ts'
import { handClock, makePerson, migrations } from '../auth/setting.ts'

for (const { name: database, open } of databases) {
  describe(`credentials from an earlier version on ${database}`, () => {
    test('one that was stored without hosts is sent nowhere until they are named', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const [clock, box] = [handClock(), createSecretBox(randomBytes(32))]
      const { accountId } = await makePerson(db, clock.nowMs())
      const [name, nowMs] = ['old', clock.nowMs()]
      const secret = { kind: 'bearer', token: 'from-an-earlier-version' } as const
      const stored = { accountId, name, secret, nowMs }
      await db.transaction((tx) =>
        insertCredential(tx, box, { ...stored, id: uuidV7(nowMs), hosts: [] }, { most: 200 }),
      )
      const use = credentialUser({ credentials: credentialsIn(db, box), clock })
      const request = { accountId, name, url: 'https://api.crm.example/' }
      await assert.rejects(use(request), {
        code: 'CREDENTIAL_NOT_ALLOWED',
        message: /^Credential "old" names no hosts, so it is sent nowhere\. An owner must/,
      })
      const named = { ...stored, hosts: ['api.crm.example'] }
      await db.transaction((tx) => replaceCredential(tx, box, named))
      const { headers } = await use(request)
      assert.equal(headers.authorization, `Bearer ${secret.token}`)
    })
  })
}
