// What runs, waits and retries now, and what it costs: read every two seconds by whoever watches.
import { toRfc3339 } from '#core/clock.ts'
import { money } from '#core/money.ts'
import { type Static, Type } from '#core/schema.ts'
import {
  callsInFlight,
  countLiveRuns,
  countLiveTasks,
  countRetrying,
  maxCounted,
  shareByWorkflow,
  type WorkflowShare,
} from '#store/tables/live-work.ts'
import { scopeUse } from '#store/tables/spend-uses.ts'
import { usageTotal } from '#store/tables/usage.ts'
import { answer } from '../../operation.ts'
import { Closed, Money, NamedRecord, Nullable, Timestamp, WorkflowId } from '../../schemas.ts'
import { type ConsoleServices, defineConsole, requireSession } from '../context.ts'
import { accountLimit } from '../usage/spend-limits.ts'
import { LiveLane, lanesOf } from './lanes.ts'

const Count = (description: string) => Type.Integer({ minimum: 0, description })
const Since = Nullable(Timestamp)

const states = {
  running: Count('A worker executes them.'),
  queued: Count('They wait for a worker, and have not begun.'),
  waiting: Count('They sleep: until a time, an answer or a message, or while a provider is busy.'),
  retrying: Count('They had begun, and wait for a worker that continues them.'),
}

const LiveWorkflow = NamedRecord('LiveWorkflow', {
  workflowId: WorkflowId,
  name: Type.String({ description: 'Its name when the run began.' }),
  ...states,
  oldestAt: Timestamp,
})

const Live = NamedRecord('Live', {
  counted: Count('No count goes further: this number means "at least".'),
  runs: Closed({ ...states, oldestQueuedAt: Since }),
  tasks: Closed({
    running: states.running,
    queued: states.queued,
    oldestQueuedAt: Since,
  }),
  deliveries: Closed({
    retrying: Count('Webhooks that failed and are sent again.'),
    nextAt: Since,
  }),
  cost: Closed({
    thisHour: { ...Money, description: 'Since the full hour (UTC).' },
    hourBegan: Timestamp,
    thisMonth: Money,
    inFlight: { ...Money, description: 'What calls under way and waiting tasks may cost.' },
    limit: Nullable({ ...Money, description: 'Of the month; null if there is none.' }),
    reachedAt: Nullable({
      ...Timestamp,
      description: 'When the limit is reached if spending goes on as in this hour.',
    }),
  }),
  workflows: Type.Array(LiveWorkflow, { description: 'At most 50, those with most runs first.' }),
  calls: Type.Array(
    Closed({
      provider: Type.String(),
      model: Type.String(),
      inFlight: Count('Calls that have not ended.'),
      oldestAt: Timestamp,
    }),
    { description: 'Without chats that no spend limit applies to.' },
  ),
  lanes: Type.Array(LiveLane, {
    description: 'Providers whose keys have limits or are paused, and those that calls wait for.',
  }),
})

export const getLive = defineConsole({
  id: 'getLive',
  route: 'GET /live',
  summary: 'Shows what runs, waits and retries now, by workflow and provider, and what it costs',
  access: 'viewer',
  success: { 200: { description: 'As of now.', data: Live } },
  async handle(context) {
    const { accountId } = requireSession(context)
    const { db } = context.services
    const [runs, shares, tasks, deliveries, calls, lanes, cost] = await Promise.all([
      countLiveRuns(db, accountId),
      shareByWorkflow(db, accountId),
      countLiveTasks(db, accountId),
      countRetrying(db, accountId),
      callsInFlight(db, accountId),
      lanesOf(context.services, accountId),
      costOf(context.services, accountId),
    ])
    const { oldest_at: oldestRunMs, ...counts } = runs
    return answer({
      counted: maxCounted,
      runs: { ...counts, oldestQueuedAt: timeOrNull(oldestRunMs) },
      tasks: {
        running: tasks.running,
        queued: tasks.queued,
        oldestQueuedAt: tasks.queued === 0 ? null : timeOrNull(tasks.oldest_at),
      },
      deliveries: { retrying: deliveries.count, nextAt: timeOrNull(deliveries.next_at) },
      cost,
      workflows: byWorkflow(shares),
      calls: calls.map(({ provider, model, calls: inFlight, oldest_at: oldestMs }) => ({
        ...{ provider, model, inFlight },
        oldestAt: toRfc3339(oldestMs),
      })),
      lanes,
    } satisfies Static<typeof Live>)
  },
})

const timeOrNull = (ms: number | null) => (ms === null ? null : toRfc3339(ms))

const shownWorkflows = 50

function byWorkflow(shares: readonly WorkflowShare[]): Static<typeof LiveWorkflow>[] {
  const all = [...Map.groupBy(shares, (share) => share.workflow_id)].map(([workflowId, own]) => {
    const runsIn = (state: WorkflowShare['state']) =>
      own.find((share) => share.state === state)?.runs ?? 0
    return {
      workflowId,
      name: own[0]?.workflow_name ?? '',
      running: runsIn('running'),
      queued: runsIn('queued'),
      waiting: runsIn('waiting'),
      retrying: runsIn('retrying'),
      oldestAt: toRfc3339(Math.min(...own.map((share) => share.oldest_at))),
      all: own.reduce((total, share) => total + share.runs, 0),
    }
  })
  return all
    .sort((a, b) => b.all - a.all || a.workflowId - b.workflowId)
    .slice(0, shownWorkflows)
    .map(({ all: _, ...workflow }) => workflow)
}

const hourMs = 3_600_000
/** A pace that was observed for less says nothing about the rest of the month. */
const shortestPaceMs = 5 * 60_000

async function costOf(services: ConsoleServices, accountId: string) {
  const { db, clock } = services
  const nowMs = clock.nowMs()
  const hourBeganMs = nowMs - (nowMs % hourMs)
  const [hour, month, { limit }] = await Promise.all([
    usageTotal(db, accountId, { fromMs: hourBeganMs, toMs: nowMs + 1 }),
    scopeUse(db, accountId, { scope: 'account', target: '' }, nowMs),
    accountLimit(services, accountId),
  ])
  return {
    thisHour: money(hour.cost_micros),
    hourBegan: toRfc3339(hourBeganMs),
    thisMonth: money(month.monthMicros),
    inFlight: money(month.heldMicros),
    limit: limit === null ? null : money(limit),
    reachedAt: timeOrNull(
      reachedAtMs({
        nowMs,
        paceMs: nowMs - hourBeganMs,
        paceMicros: hour.cost_micros,
        leftMicros: limit === null ? null : limit - month.monthMicros,
      }),
    ),
  }
}

type Pace = { nowMs: number; paceMs: number; paceMicros: number; leftMicros: number | null }

/** Null if there is no limit, if it is reached, or if the month ends before that. */
export function reachedAtMs({ nowMs, paceMs, paceMicros, leftMicros }: Pace): number | null {
  if (leftMicros === null || leftMicros <= 0 || paceMicros <= 0 || paceMs < shortestPaceMs)
    return null
  const now = new Date(nowMs)
  const monthEndsMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
  const minuteMs = 60_000
  // Whole minutes, so that the answer does not change with every reading.
  const atMs = nowMs + (leftMicros / paceMicros) * paceMs
  return atMs < monthEndsMs ? Math.ceil(atMs / minuteMs) * minuteMs : null
}
