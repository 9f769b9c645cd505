// What must hold of runs whatever happened to the processes that worked on them.
import assert from 'node:assert/strict'
import type { Receiver } from '../../contract/deliveries/receiver.ts'
import { assertLegal } from '../../contract/runs/watch.ts'
import { eventually } from '../../journeys/generation/setting.ts'
import { type Body, P } from '../../support/server.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import type { World } from '../tasks/setting.ts'

export type RunAudit = {
  runs: number
  statuses: Record<string, number>
  webhooks: number
  transitions: number
}

type Evidence = { submitted: ReadonlyMap<string, string>; receiver: Receiver }

export async function auditRuns(
  world: World,
  server: ServerProcess,
  { submitted, receiver }: Evidence,
): Promise<RunAudit> {
  await allSettled(world)
  const made = await callsByName(world)
  const told = webhooksByRun(receiver)
  const statuses: Record<string, number> = {}
  for (const [name, runId] of submitted) {
    assert.ok((made.chats.get(name)?.length ?? 0) <= 1, `${name}: text was asked for twice`)
    assert.ok((made.pictures.get(name)?.length ?? 0) <= 1, `${name}: two pictures were made`)
    const run: Body = (await server.call(`${P}/workflow-runs/${runId}`)).body.data
    assertEnded(run)
    assertTold(run, told.get(runId) ?? [])
    statuses[run.status] = (statuses[run.status] ?? 0) + 1
  }
  const [rows] = await world.db.query<{ n: number }>('select count(*) as n from runs')
  assert.equal(rows?.n, submitted.size, 'runs nobody knows of')
  await assertMoney(world, made.accepted)
  const transitions = await assertLegal(world.db)
  return { runs: submitted.size, statuses, webhooks: receiver.received.length, transitions }
}

async function allSettled({ db }: World) {
  const none = async (sql: string) =>
    eventually(
      () => db.query(`${sql} limit 5`),
      (open) => open.length === 0,
      180_000,
    )
  await none('select id, status, owner, run_at from runs where completed_at is null')
  await none(`select id, status, owner, last_error from deliveries where status <> 'DELIVERED'`)
  await none(`select attempt, run_id, node_id from ledger where outcome = 'PENDING'`)
  await none('select id, stage, owner from tasks where completed_at is null')
  await none('select id, status from runs where in_flight = 1')
}

async function callsByName({ doubles }: World) {
  const [openai, fal] = await Promise.all([doubles.openai.state(), doubles.fal.state()])
  const nameIn = (body: unknown) => /"(task [0-9.]+)(?: picture)?"/.exec(JSON.stringify(body))?.[1]
  return {
    chats: Map.groupBy(
      openai.requests.filter(({ route }) => route === 'chat'),
      ({ body }) => nameIn(body),
    ),
    pictures: Map.groupBy(fal.jobs, ({ body }) => nameIn(body)),
    accepted: openai.counts.accepted + fal.counts.accepted,
  }
}

type Told = { id: unknown; status: string }

const webhooksByRun = ({ received }: Receiver): Map<string, Told[]> => {
  const all = received.map(({ body, headers }) => {
    const { data } = JSON.parse(body)
    return { runId: data.runId as string, id: headers['webhook-id'], status: data.status as string }
  })
  return Map.groupBy(all, ({ runId }) => runId)
}

function assertTold({ runId, status }: Body, told: readonly Told[]) {
  assert.ok(told.length >= 1, `${runId}: nobody was told`)
  assert.equal(new Set(told.map(({ id }) => id)).size, 1, `${runId}: two messages`)
  for (const one of told) assert.equal(one.status, status, `${runId}: told another end`)
}

function assertEnded(run: Body) {
  const errors = JSON.stringify(run.nodeErrors)
  switch (run.status) {
    case 'COMPLETED':
      assert.deepEqual(Object.keys(run.outputs).sort(), ['a', 'b'])
      return
    case 'FAILED':
      // A call that was out when its worker died, or that outlasted the node's time limit.
      assert.match(errors, /PROVIDER_OUTCOME_UNKNOWN|NODE_TIMEOUT/, errors)
      return
    case 'CANCELLED':
      assert.ok(run.cancelRequestedAt, `${run.runId}: nobody cancelled it`)
      return
    default:
      assert.fail(`${run.runId} is ${run.status}`)
  }
}

/** What providers took is in the ledger, and a run costs what its calls cost. */
async function assertMoney({ db }: World, accepted: number) {
  const [billable] = await db.query<{ n: number }>(
    `select count(*) as n from ledger where outcome <> 'REJECTED'`,
  )
  assert.ok(accepted <= (billable?.n ?? 0), `${accepted} calls taken, ${billable?.n} in the ledger`)
  const wrong = await db.query(
    `select r.id, r.status, r.cost_micros, sum(l.cost_micros) as ledger_micros
     from runs r join ledger l on l.run_id = r.id group by r.id, r.status, r.cost_micros
     having r.cost_micros <> coalesce(sum(l.cost_micros), 0) limit 5`,
  )
  assert.deepEqual(wrong, [], 'runs whose cost is not the sum of their calls')
}
