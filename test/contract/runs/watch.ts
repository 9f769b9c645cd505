// The database itself writes down what was done to runs and steps, so that a proof does not
// depend on what a reader happened to see.
import assert from 'node:assert/strict'
import { mayMove, type RunStatus } from '#core/run-states.ts'
import type { Db, Reader } from '#store/db.ts'

type Watched = Pick<Db, 'kind' | 'write'>

const rules = [
  {
    name: 'watch_status',
    table: 'runs',
    when: 'old.status <> new.status',
    values: `old.id, 'status', old.status, new.status`,
  },
  {
    // What calls cost that were under way at the end is added later; nothing else changes.
    name: 'watch_ended',
    table: 'runs',
    when: `old.completed_at is not null and (old.completed_at <> new.completed_at
      or coalesce(old.outputs, '') <> coalesce(new.outputs, '')
      or coalesce(old.node_errors, '') <> coalesce(new.node_errors, ''))`,
    values: `old.id, 'ended run changed', old.status, new.status`,
  },
  {
    name: 'watch_steps',
    table: 'steps',
    when: `old.status = 'DONE' and new.status <> 'DONE'`,
    values: `old.run_id, 'finished call begun again', old.path, new.status`,
  },
  {
    name: 'watch_waits',
    table: 'waits',
    when: `old.status <> 'OPEN' and new.status <> old.status`,
    values: `old.run_id, 'wait ended twice', old.status, new.status`,
  },
]

export async function watchTransitions(db: Watched): Promise<void> {
  await db.write('create table watched (run_id text, what text, was text, became text)')
  for (const { name, table, when, values } of rules) {
    if (db.kind === 'sqlite') {
      await db.write(`create trigger ${name} after update on ${table} when ${when} begin
        insert into watched values (${values}); end`)
    } else {
      await db.write(`create function ${name}() returns trigger language plpgsql as
        $$begin insert into watched values (${values}); return new; end$$`)
      await db.write(`create trigger ${name} after update on ${table} for each row
        when (${when}) execute function ${name}()`)
    }
  }
}

/** Every recorded transition is legal, an ended run stayed as it was, no finished call was begun again. */
export async function assertLegal(db: Reader): Promise<number> {
  const rows = await db.query<{ run_id: string; what: string; was: string; became: string }>(
    'select * from watched',
  )
  for (const { run_id, what, was, became } of rows) {
    const told = `run ${run_id}: ${what}: ${was} to ${became}`
    assert.ok(what === 'status' && mayMove(was as RunStatus, became as RunStatus), told)
  }
  return rows.length
}
