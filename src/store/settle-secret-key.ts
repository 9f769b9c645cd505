// Decides at the start of a process whether its SECRET_KEY fits the database, and replaces the key
// if an old and a new one are given:
//
//   secret-key           fingerprint of the key that seals
//   secret-key-replaced  fingerprint of the previous key, while secrets may be sealed with it
//
// Both facts change in one transaction before the first secret is resealed. From then on no
// process that seals with the old key can start, and an interrupted replacement is resumed by the
// next start. Reading with both keys works throughout.
import type { Db, Tx } from './db.ts'
import { countOldSecrets, resealSecrets } from './sealed-columns.ts'
import type { SecretBox } from './secret-box.ts'
import { claimFact, deleteFact, readFact, replaceFact } from './tables/server-facts.ts'

const present = 'secret-key'
const replaced = 'secret-key-replaced'

/** Whether secrets in this database may already be sealed with a key. */
export const hasSecretKey = async (db: Db): Promise<boolean> =>
  (await readFact(db, present)) !== null

export type SettledKey =
  | { state: 'settled' }
  /** All is sealed with the new key, `resealed` cells just now. `isFirst`: we began this change. */
  | { state: 'replaced'; resealed: number; isFirst: boolean }

export async function settleSecretKey(
  db: Db,
  box: SecretBox,
  /** Called in the transaction that begins the replacement. */
  onBegin: (tx: Tx) => Promise<void> = async () => {},
): Promise<SettledKey> {
  if (await claimFact(db, present, box.fingerprint)) return { state: 'settled' }
  const before = { known: await readFact(db, present), last: await readFact(db, replaced) }
  if (before.known === box.fingerprint && before.last === null) return { state: 'settled' }
  if (before.known === box.fingerprint && box.oldFingerprint === null) {
    await endReplacement(db, box)
    return { state: 'settled' }
  }
  const isFirst = before.known !== box.fingerprint && (await begin(db, box, onBegin))
  await requirePair(db, box)
  let resealed = 0
  // Further rounds reseal what other processes wrote with the old key in the meantime.
  for (let found = -1; found !== 0; resealed += found) found = await resealSecrets(db, box)
  return { state: 'replaced', resealed, isFirst }
}

/** False if another process was first, or if these keys cannot begin a replacement. */
function begin(db: Db, box: SecretBox, onBegin: (tx: Tx) => Promise<void>): Promise<boolean> {
  const { fingerprint, oldFingerprint } = box
  return db.transaction(async (tx) => {
    // A process that has the two keys swapped must not reverse the replacement.
    if (oldFingerprint === null || (await readFact(tx, replaced)) === fingerprint) return false
    if (!(await replaceFact(tx, present, { from: oldFingerprint, to: fingerprint }))) return false
    await deleteFact(tx, replaced)
    await claimFact(tx, replaced, oldFingerprint)
    await onBegin(tx)
    return true
  })
}

/** Throws unless the two keys are the one that seals and the one it replaces, in this order. */
async function requirePair(db: Db, { fingerprint, oldFingerprint }: SecretBox): Promise<void> {
  const [known, last] = [await readFact(db, present), await readFact(db, replaced)]
  if (known === fingerprint && last === oldFingerprint) return
  if (known === fingerprint) {
    throw new Error(
      'SECRET_KEY_OLD is not the key that SECRET_KEY replaces in this database. Set it to the key used before.',
    )
  }
  if (oldFingerprint === null) {
    throw new Error(
      'SECRET_KEY (or DATA_DIR/secret.key) is not the key this database was set up with: stored secrets cannot be read. Start with the original key.',
    )
  }
  throw new Error(
    known === oldFingerprint
      ? 'SECRET_KEY and SECRET_KEY_OLD are swapped: this database already uses the key in SECRET_KEY_OLD.'
      : 'Neither SECRET_KEY nor SECRET_KEY_OLD is the key of this database: stored secrets cannot be read. Set SECRET_KEY_OLD to the original key.',
  )
}

/** Once the old key is no longer given: forgets it, or throws if a secret still needs it. */
async function endReplacement(db: Db, box: SecretBox): Promise<void> {
  const left = await countOldSecrets(db, box)
  if (left > 0) {
    throw new Error(
      `The change of SECRET_KEY is not complete: ${left} stored secrets still need the previous key. Start once more with that key in SECRET_KEY_OLD.`,
    )
  }
  await db.transaction((tx) => deleteFact(tx, replaced))
}
