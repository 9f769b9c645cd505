// Triggers in a schedule: what they owe is worked out here by counting, and compared with what was
// fired. Whatever dies, is held up or has a wrong clock: each occurrence has one firing and one run.
import type { TriggerSettings } from '#core/triggers/trigger.ts'
import type { Db } from '#store/db.ts'
import { insertWorkflow } from '#store/tables/workflows.ts'
import type { Random } from './random.ts'
import type { SharedDatabase } from './shared-database.ts'
import { accounts } from './workflows.ts'

/** When each trigger has to fire. */
export type Timetable = ReadonlyMap<string, readonly number[]>

const [accountId] = accounts
const everyMs = 15_000

/** Nothing to pay: all firings of a trigger have the same inputs. */
export async function addTriggered(db: Db): Promise<number> {
  const nodes = [
    { id: 'in', type: 'input.text', data: {} },
    { id: 'shown', type: 'text.template', data: { template: '{{in}}!' } },
  ]
  const connections = [{ source: 'in', target: 'shown', targetHandle: 'in' }]
  const { id } = await insertWorkflow(db, {
    ...{ accountId, name: 'triggered', canvasScale: null, nowMs: 1 },
    data: JSON.stringify({ nodes, connections }),
    ...{ nodeCount: nodes.length, connectionCount: connections.length },
  })
  return id
}

/** In some schedules, because they last longer with triggers. */
export function addTriggers(
  { connection }: SharedDatabase,
  {
    random,
    startMs,
    workflowId,
    isLarge,
  }: { random: Random; startMs: number; workflowId: number; isLarge: boolean },
): Timetable {
  const timetable = new Map<string, number[]>()
  if (!random.chance(isLarge ? 0.5 : 0.03)) return timetable
  const add = (
    kind: 'SCHEDULE' | 'ONCE',
    dueMs: number[],
    settings: Partial<TriggerSettings>,
  ): void => {
    const id = `01900000-0000-7000-8000-0000000000c${timetable.size}`
    const all = {
      ...{ inputs: { in: 'x' }, metadata: {}, callbackUrl: null, maxCost: null },
      ...{ overlap: 'allow', catchUp: 'all', pauseAfterFailures: 10, ...settings },
    }
    timetable.set(id, dueMs)
    connection.all(
      `insert into triggers (id, account_id, workflow_id, name, kind, enabled, version, settings,
         next_at, due_at, created_at, updated_at)
       values ($1, $2, $3, 't', $4, 1, 'latest', $5, $6, $6, $7, $7)`,
      [id, accountId, workflowId, kind, JSON.stringify(all), dueMs[0] ?? null, startMs],
    )
  }
  const atMs = startMs + 1_000 + random.below(everyMs)
  add('ONCE', [atMs], { atMs })
  const overlaps = ['allow', 'queue'] as const
  for (const overlap of isLarge ? overlaps : [random.pick(overlaps)]) {
    const startAtMs = startMs + random.below(everyMs)
    const dueMs = [0, 1, 2].map((count) => startAtMs + count * everyMs)
    const endAtMs = startAtMs + 2 * everyMs + 1
    add('SCHEDULE', dueMs, { everySeconds: everyMs / 1000, startAtMs, endAtMs, overlap })
  }
  return timetable
}

type Fired = { scheduled_at: number; reason: string | null; run_id: string | null; runs: number }

export function checkTriggers(
  { connection }: SharedDatabase,
  timetable: Timetable,
  violate: (what: string) => void,
): void {
  for (const [id, dueMs] of timetable) {
    const fired = connection.all<Fired>(
      `select scheduled_at, reason, run_id, (select count(*) from runs r
         where r.idempotency_key = f.run_key and r.id = f.run_id) as runs
       from firings f where trigger_id = $1 order by scheduled_at`,
      [id],
    )
    const times = fired.map((one) => one.scheduled_at)
    if (`${times}` !== `${dueMs}`) violate(`${id} fired at ${times}, and not at ${dueMs}`)
    const without = fired.filter(({ reason, runs }) => reason !== null || runs !== 1)
    if (without.length > 0) violate(`${id} has no run for ${JSON.stringify(without)}`)
  }
  const [runs] = connection.all<{ n: number }>(
    `select count(*) as n from runs r join workflows w on w.id = r.workflow_id
     where w.name = 'triggered'`,
  )
  const count = [...timetable.values()].flat().length
  if (runs?.n !== count) violate(`${count} firings made ${runs?.n} runs`)
}
