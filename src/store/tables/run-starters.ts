// What started runs: a trigger, a key, or a person in the console or with a connected app.
import { uuidPattern } from '#core/ids.ts'
import type { Reader } from '../db.ts'
import { runTable } from './runs.ts'
import { namesOf } from './wait-answers.ts'

export type RunStarter = { kind: 'trigger' | 'key' | 'person'; id: string; name: string | null }

const started = runTable.select('id', 'spender', 'fingerprint')
const isUuid = new RegExp(uuidPattern)

/** By run. One that was started before people were noted may have none. */
export async function startersOf(
  db: Reader,
  accountId: string,
  runIds: readonly string[],
): Promise<Map<string, RunStarter>> {
  if (runIds.length === 0) return new Map()
  const rows = await started.query(
    db,
    `select ${started.columns} from runs
     where account_id = $1 and id ${db.dialect.inList('$2', 'uuid')}`,
    [accountId, db.dialect.list(runIds)],
  )
  const callers = rows.flatMap(({ spender: { keyId, userId } }) => keyId ?? userId ?? [])
  const [triggers, names] = await Promise.all([
    // The run of a firing has the firing's id as its fingerprint; those of others are hashes.
    triggersOf(
      db,
      accountId,
      rows.flatMap(({ fingerprint }) => (isUuid.test(fingerprint) ? fingerprint : [])),
    ),
    namesOf(db, accountId, [...new Set(callers)]),
  ])
  return new Map(
    rows.flatMap(({ id, spender: { keyId, userId }, fingerprint }) => {
      const trigger = triggers.get(fingerprint)
      const callerId = keyId ?? userId
      if (!trigger && !callerId) return []
      const name = names.get(callerId ?? '') ?? null
      const caller = { kind: keyId ? 'key' : 'person', id: callerId ?? '', name } as const
      return [[id, trigger ?? caller] as const]
    }),
  )
}

async function triggersOf(
  db: Reader,
  accountId: string,
  firingIds: readonly string[],
): Promise<Map<string, RunStarter>> {
  if (firingIds.length === 0) return new Map()
  const rows = await db.query<{ firing_id: string; id: string; name: string }>(
    `select f.id as firing_id, t.id, t.name from firings f join triggers t on t.id = f.trigger_id
     where f.account_id = $1 and f.id ${db.dialect.inList('$2', 'uuid')}`,
    [accountId, db.dialect.list(firingIds)],
  )
  return new Map(
    rows.map(({ firing_id, id, name }) => [firing_id, { kind: 'trigger' as const, id, name }]),
  )
}
