import { ownerFact } from '#auth/owner.ts'
import type { Config } from '#config'
import type { Clock } from '#core/clock.ts'
import type { Db, Tx } from '#store/db.ts'
import { createSecretBox } from '#store/secret-box.ts'
import { hasSecretKey, settleSecretKey } from '#store/settle-secret-key.ts'
import { insertAuditEntry } from '#store/tables/audit-entries.ts'
import { readFact } from '#store/tables/server-facts.ts'
import { readUser } from '#store/tables/users.ts'
import type { Logger } from '../log.ts'
import { readSecretKeys } from './secret-keys.ts'

/** Throws if the keys do not fit the database. If both are given, the new one replaces the old. */
export async function openSecretBox(config: Config, db: Db, clock: Clock, log: Logger) {
  const isSealed = await hasSecretKey(db)
  const keys = readSecretKeys(config, config.dataDir, { isSealed })
  const box = createSecretBox(keys.secretKey, keys.oldKey)
  const settled = await settleSecretKey(db, box, (tx) => recordReplacement(tx, clock.nowMs()))
  if (settled.state === 'replaced') {
    log.info(
      { resealed: settled.resealed },
      'Every stored secret is encrypted with the new SECRET_KEY. Once all processes use it and 24 hours have passed, so that no media address signed with the old key is valid any more, remove SECRET_KEY_OLD (or DATA_DIR/secret.key.old).',
    )
  }
  return { keys, box }
}

/** Recorded in the audit log of the account that the server was set up with. */
async function recordReplacement(tx: Tx, nowMs: number): Promise<void> {
  const ownerId = await readFact(tx, ownerFact)
  const owner = ownerId === null ? null : await readUser(tx, ownerId)
  if (!owner) return
  const nobody = { userId: null, keyId: null, ipAddress: null, target: 'every stored secret' }
  const { accountId } = owner
  await insertAuditEntry(tx, { ...nobody, accountId, action: 'secret-key.replaced', nowMs })
}
