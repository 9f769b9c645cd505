import type { Config } from '#config'
import type { Db } from '#store/db.ts'
import { createSecretBox } from '#store/secret-box.ts'
import { readSecretKeys } from '#store/secret-keys.ts'
import { settleSecretKey } from '#store/settle-secret-key.ts'
import type { Logger } from './log.ts'

/** Throws if the keys do not fit the database. Replaces the old one everywhere if both are given. */
export async function openSecretBox(config: Config, db: Db, log: Logger) {
  const keys = readSecretKeys(config, config.dataDir)
  const box = createSecretBox(keys.secretKey, keys.oldKey)
  const settled = await settleSecretKey(db, box)
  if (settled.state === 'replaced') {
    log.info(
      { resealed: settled.resealed },
      'Every stored secret is encrypted with the new SECRET_KEY. Once all processes use it and 24 hours have passed, so that no media address signed with the old key is valid any more, remove SECRET_KEY_OLD (or DATA_DIR/secret.key.old).',
    )
  }
  return { keys, box }
}
