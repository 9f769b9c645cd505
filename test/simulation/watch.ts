// Watches every change of work in the database itself, whoever makes it: the rules hold at each
// commit, and not only at the end of a schedule.
import type { SharedDatabase } from './shared-database.ts'

/** What only the owner of work may change. */
const owned = {
  runs: ['outputs', 'node_errors', 'nodes', 'completed_at'],
  tasks: ['stage', 'attempts', 'job_ref', 'media', 'error', 'completed_at'],
  deliveries: ['attempts', 'completed_at'],
} as const

export type Watch = {
  begin(violate: (what: string) => void): void
}

export function watchRows(shared: SharedDatabase): Watch {
  const actors = new Map<string, string>()
  /** Of a transaction that may yet be rolled back. */
  let found: string[] = []
  let violate = (what: string): void => {
    throw new Error(what)
  }
  const me = () => shared.actor?.name ?? 'nobody'
  shared.define('simulated_join', (id) => {
    actors.set(String(id), me())
    return 1
  })
  shared.define('simulated_clock', () => shared.nowMs + (shared.actor?.clockOffsetMs ?? 0))
  shared.define('simulated_mine', (owner) => (actors.get(String(owner)) === me() ? 1 : 0))
  shared.define('simulated_violation', (what, id) => {
    found.push(`${me()}: ${what} (${id})`)
    return 1
  })
  shared.connection.all(
    `create trigger simulated_worker after insert on workers begin select simulated_join(new.id); end`,
  )
  for (const [index, { table, event, when, what, id = 'id' }] of rules().entries()) {
    shared.connection.all(
      `create trigger simulated_${index} after ${event} on ${table} when ${when}
       begin select simulated_violation('${what}', ${event === 'delete' ? 'old' : 'new'}.${id}); end`,
    )
  }
  return {
    begin(onViolation) {
      actors.clear()
      found = []
      violate = onViolation
      shared.onWritten = (isKept) => {
        if (isKept) for (const what of found) violate(what)
        found = []
      }
    },
  }
}

type Rule = { table: string; event: string; when: string; what: string; id?: string }

/** When which change is a violation. */
const rules = (): Rule[] => [
  ...Object.entries(owned).flatMap(([table, columns]) => rulesOfWork(table, columns)),
  {
    table: 'runs',
    event: 'update of completed_at',
    // Only waiting work ends without an owner: too late, or cancelled before it began or asleep.
    when: `old.owner is null and old.completed_at is null and new.completed_at is not null
       and old.started_at is not null and old.wake_at is null`,
    what: 'ended a run that nobody owned',
  },
  {
    ...{ table: 'tasks', event: 'insert', what: 'began a task of a run that was to stop' },
    when: `exists (select 1 from runs r where r.id = new.run_id
       and (r.cancel_requested_at is not null or r.completed_at is not null))`,
  },
  {
    ...{ table: 'tasks', event: 'update of stage', what: 'sent a task of a run that was to stop' },
    when: `new.stage = 'SUBMITTING' and old.stage <> 'SUBMITTING'
       and exists (select 1 from runs r where r.id = new.run_id and (r.cancel_requested_at is not null
         or r.node_errors is not null or r.completed_at is not null))`,
  },
  {
    ...{ table: 'tasks', event: 'insert', what: 'ordered a picture of words that are not stored' },
    // One process alone may still have the step in its log.
    when: `new.node_id = 'picture' and simulated_among_others() and exists (select 1 from steps s
       where s.run_id = new.run_id and s.path = 'words#0' and s.status <> 'DONE')`,
  },
  {
    ...{ table: 'workers', event: 'delete', what: 'took the lease of a live worker' },
    when: 'old.lease_until >= simulated_now() and not simulated_mine(old.id)',
  },
  ...rulesOfWaits,
  ...['insert', 'update'].map((event) => ({
    ...{ table: 'steps', event, id: 'path', what: 'wrote a step of another worker' },
    when: `simulated_among_others() and not exists (select 1 from runs r
       where r.id = new.run_id and (r.owner is null or simulated_mine(r.owner)
         ${event === 'insert' ? '' : `or ${isLateAnswer} or ${isSpoiled}`}))`,
  })),
]

/** Paid for by a run that was stopped, and kept for others: it changes nothing about the run. */
const isLateAnswer = `old.status = 'STARTED' and new.status = 'DONE' and new.reuse is not null
  and (r.cancel_requested_at is not null or r.deadline_at <= simulated_clock())`

/** Whoever executes the node finds that it cannot use this answer, also if it is too late to say so. */
const isSpoiled = `new.reuse is null and new.status is old.status and new.result is old.result`

/** A run sleeps or is awake, and a wait ends once, never before its time. */
const rulesOfWaits: Rule[] = [
  {
    ...{ table: 'runs', event: 'update', what: 'a run sleeps and has an owner, or an end' },
    when: 'new.wake_at is not null and (new.owner is not null or new.completed_at is not null)',
  },
  {
    ...{ table: 'runs', event: 'update', what: 'a run fell asleep over something' },
    // One process alone may still have the step in its log.
    when: `old.wake_at is null and new.wake_at is not null and simulated_among_others()
       and exists (select 1 from waits w
       join steps s on s.run_id = w.run_id and s.path = w.path
       where w.run_id = new.id and w.status <> 'OPEN' and s.status = 'STARTED')`,
  },
  {
    ...{ table: 'waits', event: 'update of status', what: 'a wait ended twice' },
    when: `old.status <> 'OPEN' and new.status is not old.status`,
  },
  {
    ...{ table: 'waits', event: 'update of status', what: 'a wait ended before its time' },
    when: `new.status in ('PASSED', 'EXPIRED') and simulated_now() < new.expires_at`,
  },
  {
    ...{ table: 'waits', event: 'update of status', what: 'an answer came after its time' },
    when: `new.status = 'ANSWERED' and simulated_now() >= new.expires_at`,
  },
  {
    ...{ table: 'waits', event: 'update of status', what: 'an answer left its run asleep' },
    when: `new.status = 'ANSWERED' and exists (select 1 from runs r
       where r.id = new.run_id and r.wake_at is not null)`,
  },
  ...['insert', 'update'].map((event) => ({
    ...{ table: 'steps', event, id: 'path', what: 'wrote a step of a run that sleeps' },
    when: `simulated_among_others() and exists (select 1 from runs r
       where r.id = new.run_id and r.wake_at is not null)`,
  })),
]

function rulesOfWork(table: string, columns: readonly string[]): Rule[] {
  const isChanged = columns.map((name) => `old.${name} is not new.${name}`).join(' or ')
  return [
    {
      ...{ table, event: `update of ${columns.join(', ')}` },
      when: `old.owner is not null and (${isChanged}) and not simulated_mine(old.owner)`,
      what: `changed ${table} of another worker`,
    },
    {
      ...{ table, event: 'update of owner' },
      when: `new.owner is not null and (old.owner is not null or new.epoch is not old.epoch + 1
         or not simulated_mine(new.owner) or old.completed_at is not null)`,
      what: `claimed ${table} that were not to be had`,
    },
    {
      ...{ table, event: 'update of status, completed_at' },
      when: `old.completed_at is not null
         and (old.status is not new.status or old.completed_at is not new.completed_at)`,
      what: `changed the end of ${table}`,
    },
    { table, event: 'update of epoch', when: 'new.epoch < old.epoch', what: `set ${table} back` },
  ]
}
