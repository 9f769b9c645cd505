import type { Db } from '../db.ts'
import type { SecretBox } from '../secret-box.ts'
import {
  type CredentialRow,
  findCredentials,
  type OpenedCredential,
  openCredential,
  recordCredentialUse,
  type WhichCredential,
} from '../tables/credentials.ts'

/** The secrets that an account keeps under names. */
export type Credentials = {
  find(accountId: string, names: readonly string[]): Promise<CredentialRow[]>
  /** Decrypted; null if the account has no such credential. */
  open(accountId: string, which: WhichCredential): Promise<OpenedCredential | null>
  recordUse(accountId: string, id: string, usedAtMs: number): Promise<unknown>
}

export const credentialsIn = (db: Db, box: SecretBox): Credentials => ({
  find: (accountId, names) => findCredentials(db, accountId, names),
  open: (accountId, which) => openCredential(db, box, accountId, which),
  recordUse: (accountId, id, usedAtMs) => recordCredentialUse(db, accountId, id, usedAtMs),
})
