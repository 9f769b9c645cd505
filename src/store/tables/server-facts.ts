import type { Db, Reader, Tx } from '../db.ts'
import type { SecretBox } from '../secret-box.ts'

/** True for the one caller, on any process, whose value became the fact. */
export async function claimFact(tx: Tx | Db, name: string, value: string): Promise<boolean> {
  const rows = await tx.write(
    'insert into server_facts (name, value) values ($1, $2) on conflict (name) do nothing returning name',
    [name, value],
  )
  return rows.length === 1
}

export async function readFact(db: Pick<Reader, 'query'>, name: string): Promise<string | null> {
  const rows = await db.query<{ value: string }>('select value from server_facts where name = $1', [
    name,
  ])
  return rows[0]?.value ?? null
}

/** Whether this database was ever used by a server. */
export async function isSetUp(db: Db): Promise<boolean> {
  const [table] = await db.query<{ name: string | null }>(db.dialect.findTable, ['server_facts'])
  if (!table?.name) return false
  const facts = [await readFact(db, 'installation'), await readFact(db, 'owner')]
  return facts.some((fact) => fact !== null)
}

/** The next number of a fact that counts, once it is stored. */
export async function countUp(db: Db, name: string): Promise<number> {
  const [row] = await db.write<{ value: string }>(
    `insert into server_facts as f (name, value) values ($1, '1')
     on conflict (name) do update set value = cast(cast(f.value as bigint) + 1 as text)
     returning value`,
    [name],
  )
  return Number(row?.value)
}

/** Stops a process that holds another key before it writes what its peers cannot read. */
export async function checkSecretKey(db: Db, box: SecretBox): Promise<void> {
  if (await claimFact(db, 'secret-key', box.fingerprint)) return
  if ((await readFact(db, 'secret-key')) === box.fingerprint) return
  throw new Error(
    'SECRET_KEY (or DATA_DIR/secret.key) is not the key this database was set up with: stored secrets cannot be read. Start with the original key.',
  )
}
