import type { Db, Reader, Tx } from '../db.ts'

/** True for the one caller, in any process, whose value became the fact. */
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

const hasFacts = async (db: Db): Promise<boolean> => {
  const [table] = await db.query<{ name: string | null }>(db.dialect.findTable, ['server_facts'])
  return Boolean(table?.name)
}

/** Whether this database was ever used by a server. */
export async function isSetUp(db: Db): Promise<boolean> {
  if (!(await hasFacts(db))) return false
  const facts = [await readFact(db, 'installation'), await readFact(db, 'owner')]
  return facts.some((fact) => fact !== null)
}

export const dropFact = (db: Db, name: string) =>
  db.write('delete from server_facts where name = $1', [name])

/** Exists while a restore fills the database, which is incomplete until then. */
export const restoringFact = 'restoring'

export const isHalfRestored = async (db: Db): Promise<boolean> =>
  (await hasFacts(db)) && (await readFact(db, restoringFact)) !== null

/** Increments a fact that is a counter; resolves with the new number once it is stored. */
export async function countUp(db: Db, name: string): Promise<number> {
  const [row] = await db.write<{ value: string }>(
    `insert into server_facts as f (name, value) values ($1, '1')
     on conflict (name) do update set value = cast(cast(f.value as bigint) + 1 as text)
     returning value`,
    [name],
  )
  return Number(row?.value)
}

/** Rejects if the database cannot store a write now. */
export const tryWrite = (db: Db, nowMs: number) =>
  db.write(
    `insert into server_facts (name, value) values ('written-at', $1)
     on conflict (name) do update set value = excluded.value`,
    [String(nowMs)],
  )

/** False if the fact has another value, or none. */
export async function replaceFact(
  tx: Tx,
  name: string,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  const rows = await tx.write(
    'update server_facts set value = $3 where name = $1 and value = $2 returning name',
    [name, from, to],
  )
  return rows.length === 1
}

export async function deleteFact(tx: Tx, name: string): Promise<void> {
  await tx.write('delete from server_facts where name = $1', [name])
}
