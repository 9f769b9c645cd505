import type { Db, Tx } from '../db.ts'

/** Tables whose rows are work; `owner` names the worker that holds a row. Also wake-up channels. */
const workTables = ['tasks', 'runs', 'deliveries'] as const
type WorkTable = (typeof workTables)[number]

/** One claim of a row. A worker that lost its lease may claim the same row again. */
export type Claim = { id: string; epoch: number }

export const claimKey = ({ id, epoch }: Claim): string => `${id} ${epoch}`

/** Lets other workers go on at once with what this one held. */
export async function releaseWorkOf(tx: Tx, workerId: string): Promise<void> {
  for (const table of workTables) {
    await tx.write(`update ${table} set owner = null where owner = $1`, [workerId])
    tx.notify(table)
  }
}

/**
 * Frees rows whose owner is no worker any more. By owner rather than by the list of the dead: a
 * claim sent before its worker was declared dead may be committed after.
 */
export async function releaseOrphans(tx: Tx): Promise<number> {
  let released = 0
  for (const table of workTables) {
    const rows = await tx.write(
      `update ${table} set owner = null
       where owner is not null and owner not in (select id from workers) returning id`,
    )
    if (rows.length > 0) tx.notify(table)
    released += rows.length
  }
  return released
}

/**
 * Frees rows this worker owns without working on them. A claim whose answer was lost may have been
 * made: without this its rows would stay owned, and idle, for as long as the worker lives.
 */
export async function releaseOrphanedClaims(
  db: Db,
  table: WorkTable,
  workerId: string,
  working: { has(claimKey: string): boolean },
): Promise<void> {
  const owned = await db.query<Claim>(`select id, epoch from ${table} where owner = $1`, [workerId])
  const orphaned = owned.filter((claim) => !working.has(claimKey(claim)))
  if (orphaned.length === 0) return
  await db.writeAll(() => [
    {
      sql: `update ${table} set owner = null where id = $1 and owner = $2 and epoch = $3`,
      rows: orphaned.map(({ id, epoch }) => [id, workerId, epoch]),
    },
  ])
}

/** For a database that one process owns: whoever held work before is gone. */
export async function releaseAllWork(db: Db): Promise<void> {
  for (const table of workTables) {
    await db.write(`update ${table} set owner = null where owner is not null`)
  }
}
