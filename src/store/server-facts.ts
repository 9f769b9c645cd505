import type { Db, Reader, Tx } from './db.ts'
import type { SecretBox } from './secret-box.ts'

/** True for the one caller, on any process, whose value became the fact. */
export async function claimFact(tx: Tx | Db, name: string, value: string): Promise<boolean> {
  const rows = await tx.write(
    'insert into server_facts (name, value) values ($1, $2) on conflict (name) do nothing returning name',
    [name, value],
  )
  return rows.length === 1
}

export async function readFact(db: Reader, name: string): Promise<string | null> {
  const rows = await db.query<{ value: string }>('select value from server_facts where name = $1', [
    name,
  ])
  return rows[0]?.value ?? null
}

/** Stops a process that holds another key before it writes what its peers cannot read. */
export async function checkSecretKey(db: Db, box: SecretBox): Promise<void> {
  if (await claimFact(db, 'secret-key', box.fingerprint)) return
  if ((await readFact(db, 'secret-key')) === box.fingerprint) return
  throw new Error(
    'SECRET_KEY (or DATA_DIR/secret.key) is not the key this database was set up with: stored secrets cannot be read. Start with the original key.',
  )
}
