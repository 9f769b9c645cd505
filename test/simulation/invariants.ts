// What must be true once a schedule is over, whatever happened in it.
import type { Promised } from './clients.ts'
import type { Outside } from './outside.ts'
import type { SharedDatabase } from './shared-database.ts'
import { accounts, limitMicros } from './workflows.ts'

/** Nothing is under way any more. */
export const isQuiet = ({ connection }: SharedDatabase): boolean =>
  connection.all(
    `select 1 as one where exists (select 1 from runs where completed_at is null or in_flight = 1)
       or exists (select 1 from tasks where completed_at is null)
       or exists (select 1 from deliveries where completed_at is null)
       or exists (select 1 from ledger where outcome = 'PENDING')
       or exists (select 1 from chat_intents)
       or exists (select 1 from triggers where next_at is not null)
       or exists (select 1 from firings where status in ('PENDING', 'QUEUED'))`,
  ).length === 0

export const unfinished = ({ connection }: SharedDatabase): string =>
  JSON.stringify({
    runs: connection.all(
      `select id, status, owner, epoch, in_flight, releases, deaths from runs
       where completed_at is null or in_flight = 1`,
    ),
    tasks: connection.all(
      `select id, status, stage, owner, epoch from tasks where completed_at is null`,
    ),
    deliveries: connection.all(
      `select id, status, owner, retry_at from deliveries where completed_at is null`,
    ),
    ledger: connection.all(`select attempt, run_id, node_id from ledger where outcome = 'PENDING'`),
    triggers: connection.all(`select id, next_at from triggers where next_at is not null`),
    firings: connection.all(
      `select id, status, try_at from firings where status in ('PENDING', 'QUEUED')`,
    ),
    workers: connection.all(`select * from workers`),
  })

type Check = (what: string) => void
type RunFacts = {
  id: string
  idempotency_key: string
  status: string
  cost_micros: number
  owner: string | null
}

type Ended = { outside: Outside; promised: Promised; calmMs: number; faults: number }

export function checkEnd(
  { connection }: SharedDatabase,
  { outside, promised, calmMs, faults }: Ended,
  violate: Check,
): void {
  const runs = connection.all<RunFacts>(
    'select id, idempotency_key, status, cost_micros, owner from runs',
  )
  checkPromises(connection, runs, promised, violate)
  checkPaidOnce(outside, violate)
  checkWaits(connection, { runs, outside, promised }, violate)
  for (const run of runs) {
    checkMoney(connection, run, outside, violate)
    checkWebhook(connection, run, outside, promised, violate)
  }
  checkSums(connection, violate)
  // Each fault may have set a clock by an hour.
  checkPace(connection, calmMs + faults * hourMs, violate)
}

type Connection = SharedDatabase['connection']

/** Nothing acknowledged is lost, and nothing is there twice. */
function checkPromises(
  connection: Connection,
  runs: readonly RunFacts[],
  promised: Promised,
  violate: Check,
) {
  for (const [key, { id, maxCostMicros }] of promised.runs) {
    const of = runs.filter((run) => run.idempotency_key === key)
    if (of.length !== 1 || of[0]?.id !== id) violate(`the run of ${key} is lost, or there twice`)
    const cost = of[0]?.cost_micros ?? 0
    if (maxCostMicros !== null && cost > maxCostMicros) violate(`${key} cost ${cost}`)
  }
  for (const id of promised.tasks) {
    const found = connection.all('select 1 as one from tasks where id = $1', [id])
    if (found.length !== 1) violate(`the task ${id} is lost`)
  }
  for (const { id, status, owner } of runs) {
    if (!['COMPLETED', 'FAILED', 'CANCELLED'].includes(status)) violate(`${id} is ${status}`)
    if (owner !== null) violate(`${id} has ended and has an owner`)
  }
}

/** Nothing is paid twice: counted by those who bill and act. */
function checkPaidOnce({ texts, jobs, acts }: Outside, violate: Check) {
  for (const [prompt, { length }] of texts) if (length > 1) violate(`"${prompt}" paid ${length}×`)
  for (const [taskId, { length }] of jobs) if (length > 1) violate(`${taskId} paid ${length}×`)
  for (const [body, times] of acts) if (times > 1) violate(`${body} acted on ${times}×`)
}

type WaitFacts = { run_id: string; kind: string; status: string; answered_by: string | null }

/** What somebody was told about their decision holds, and nothing else happened than they decided. */
function checkWaits(
  connection: Connection,
  { runs, outside, promised }: { runs: readonly RunFacts[]; outside: Outside; promised: Promised },
  violate: Check,
) {
  const waits = connection.all<WaitFacts>('select run_id, kind, status, answered_by from waits')
  for (const { id, idempotency_key: key, status } of runs) {
    const own = waits.filter((wait) => wait.run_id === id)
    if (own.some((wait) => wait.status === 'OPEN')) violate(`${key} has ended and still waits`)
    const [approval] = own.filter(({ kind }) => kind === 'APPROVAL')
    const told = promised.decisions.get(key)
    if (told && approval?.answered_by !== told.by) violate(`${key}: what ${told.by} said is lost`)
    if (!approval) continue
    const isPublished = outside.texts.has(`${key}+`)
    if (isPublished && approval.status !== 'ANSWERED') violate(`${key} went on without an answer`)
    if (isPublished && told?.decision === 'reject') violate(`${key} went on although rejected`)
    const isApproved = told?.decision === 'approve' && status === 'COMPLETED'
    if (isApproved && !isPublished) violate(`${key} was approved and did not go on`)
  }
}

type Entry = { operation: string; outcome: string; cost_micros: number | null }

/** The cost of a run is the sum of its ledger rows, which cover all that was billed for it. */
function checkMoney(
  connection: Connection,
  { id, idempotency_key: key, cost_micros }: RunFacts,
  { texts, jobs }: Outside,
  violate: Check,
) {
  const entries = connection.all<Entry>(
    'select operation, outcome, cost_micros from ledger where run_id = $1',
    [id],
  )
  const sum = entries.reduce((total, entry) => total + (entry.cost_micros ?? 0), 0)
  if (sum !== cost_micros) violate(`${key} cost ${cost_micros}, and its ledger says ${sum}`)
  const billed = [...texts].filter(([prompt]) => isOf(prompt, key)).flatMap(([, costs]) => costs)
  const chats = entries.filter(({ operation }) => operation === 'chat')
  const isDue = ({ outcome }: Entry) => outcome !== 'REJECTED' && outcome !== 'FAILED'
  if (chats.filter(isDue).length < billed.length) violate(`${key} has calls without a ledger row`)
  const left = [...billed]
  for (const { outcome, cost_micros: cost } of chats) {
    if (outcome !== 'SUCCEEDED') continue
    const index = left.indexOf(cost ?? -1)
    if (index === -1) violate(`${key} has a cost in the ledger that nobody billed`)
    else left.splice(index, 1)
  }
  const tasks = connection.all<{ id: string; cost_micros: number | null }>(
    'select id, cost_micros from tasks where run_id = $1',
    [id],
  )
  const done = tasks.filter((task) => jobs.get(task.id)?.[0]?.isGood)
  const pictures = entries.filter(({ operation }) => operation === 'image')
  if (pictures.filter(isDue).length < done.length) violate(`${key} has a picture that nobody paid`)
  const lost = connection.all(
    `select s.path from steps s join tasks t on t.id = s.task_id
     where s.run_id = $1 and t.status = 'COMPLETED' and (s.status <> 'DONE' or s.reuse is null)
       and not exists (select 1 from step_log where instr(entries, t.id) > 0)`,
    [id],
  )
  if (lost.length > 0) violate(`${key} has a picture that no other run finds`)
}

const isOf = (prompt: string, key: string) =>
  prompt === key || prompt.startsWith(`${key} `) || prompt.startsWith(`${key}+`)

/** One webhook, which arrived, and says how the run ended. */
function checkWebhook(
  connection: Connection,
  { id, idempotency_key: key, status }: RunFacts,
  { webhooks }: Outside,
  { runs }: Promised,
  violate: Check,
) {
  const expected = runs.get(key)?.hasWebhook
  const rows = connection.all<{ status: string; webhook_id: string }>(
    'select status, webhook_id from deliveries where run_id = $1',
    [id],
  )
  const received = webhooks.get(id) ?? []
  if (expected !== undefined && rows.length !== (expected ? 1 : 0)) {
    violate(`${key} has ${rows.length} deliveries`)
  }
  for (const row of rows) {
    if (row.status !== 'DELIVERED') violate(`the webhook of ${key} is ${row.status}`)
    if (received.length === 0) violate(`the webhook of ${key} never arrived`)
    const isWrong = received.some(
      (one) => one.webhookId !== row.webhook_id || one.status !== status,
    )
    if (isWrong) violate(`the webhook of ${key} did not say how it ended`)
  }
}

const hourMs = 3_600_000
/** Longer than any call, pause or retry takes. */
const patienceMs = 4 * hourMs

/** Once all goes well, work is not left to the sweeps that find what everything else forgot. */
function checkPace(connection: Connection, calmMs: number, violate: Check) {
  const late = connection.all<{ id: string }>(
    `select id from runs where slept_at is null and completed_at > $1
     union all select id from tasks where completed_at > $1`,
    [calmMs + patienceMs],
  )
  for (const { id } of late) violate(`${id} stood still`)
}

/** The sums are those of the ledger, and no account spent more than it may. */
function checkSums(connection: Connection, violate: Check) {
  const [sums] = connection.all<{ ledger: number; days: number; quarters: number }>(
    `select coalesce((select sum(cost_micros) from ledger), 0) as ledger,
       coalesce((select sum(cost_micros) from spend_days), 0) as days,
       coalesce((select sum(cost_micros) from usage_quarters), 0) as quarters`,
  )
  if (!sums || sums.days !== sums.ledger || sums.quarters !== sums.ledger) {
    violate(`the sums differ: ${JSON.stringify(sums)}`)
  }
  const [limited] = connection.all<{ spent: number }>(
    'select coalesce(sum(cost_micros), 0) as spent from ledger where account_id = $1',
    [accounts[1]],
  )
  if ((limited?.spent ?? 0) > limitMicros) violate(`an account spent ${limited?.spent}`)
}
