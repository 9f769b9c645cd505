import type { Db } from '../db.ts'
import type { Credentials } from '../engine-store.ts'
import type { SecretBox } from '../secret-box.ts'
import { findCredentials, openCredential, recordCredentialUse } from '../tables/credentials.ts'

export const credentialsIn = (db: Db, box: SecretBox): Credentials => ({
  find: (accountId, names) => findCredentials(db, accountId, names),
  open: (accountId, which) => openCredential(db, box, accountId, which),
  recordUse: (accountId, id, usedAtMs) => recordCredentialUse(db, accountId, id, usedAtMs),
})
