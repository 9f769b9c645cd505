import type { Db, Tx } from './db.ts'

/** Tables whose rows are work; `owner` names the worker that holds a row. Also wake-up channels. */
const workTables = ['tasks', 'runs', 'deliveries'] as const

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

/** For a database that one process owns: whoever held work before is gone. */
export async function releaseAllWork(db: Db): Promise<void> {
  for (const table of workTables) {
    await db.write(`update ${table} set owner = null where owner is not null`)
  }
}
