// The database itself is stopped without warning and started again, at once or after ten seconds,
// while chats, pictures and runs are under way in processes that live on. At the end the ledger
// must say, to the millionth, what the providers' doubles took.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { eventually } from '../../journeys/generation/setting.ts'
import { addWorkflow, graph } from '../../journeys/runs/setting.ts'
import { startPostgres } from '../../support/postgres-server.ts'
import { type Answer, P } from '../../support/server.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { seeded } from '../chance.ts'
import { attemptsIn, openWorld, type World } from '../tasks/setting.ts'

export type RestartRounds = {
  rounds: number
  seed: number
  /** In turn: how long the database is away. */
  awayMs?: readonly number[]
  /** Calls under a spend limit have a row before they are made, others a line of the log. */
  isLimited: boolean
  onRound?(round: number): void
}

const callers = 12
const chatMicros = 21 * 2 + 8 * 8
const pictureMicros = 3_000
const work = graph(
  [
    { id: 'in', type: 'input.text' },
    { id: 'g', type: 'text.generate', data: { model: 'test/text' } },
    { id: 'i', type: 'image.generate', data: { model: 'fal/flux-schnell' } },
    { id: 'a', type: 'output' },
    { id: 'b', type: 'output' },
  ],
  ['in -> g.prompt', 'in -> i.prompt', 'g -> a', 'i -> b'],
)

export async function runRestartRounds({
  rounds,
  seed,
  awayMs = [0, 10_000],
  isLimited,
  onRound,
}: RestartRounds) {
  const postgres = await startPostgres({ fsync: 'on' })
  const env = {
    // What no process settles any more is settled while `allSettled` waits.
    CHAT_TOTAL_SECONDS: '120',
    // Shorter than the database is away, and long enough that a busy machine renews it in time: a
    // picture that was sent under a lease that is lost has an outcome that nobody knows.
    LEASE_SECONDS: '8',
    ...(isLimited ? { SPEND_LIMIT: '1000000' } : {}),
  }
  await using stack = new AsyncDisposableStack()
  stack.defer(postgres.stop)
  const world = stack.use(await openWorld('postgres', env, postgres))
  await world.doubles.fal.plan('running', 'succeeded')
  const chance = seeded(seed)
  const server = await world.start({ ROLE: 'all' })
  await world.start({ ROLE: 'worker' })
  const workflowId = await addWorkflow(server, work)
  const told = { accepted: 0, unknown: 0, refused: 0 }
  for (let round = 0; round < rounds; round++) {
    let isOver = false
    let left = 20 + chance.below(60)
    const enough = Promise.withResolvers<void>()
    const talk = async (caller: number) => {
      for (let i = 0; !isOver; i++) {
        const answer = await ask(server, { round, caller, i, workflowId })
        if (answer.status >= 500) told[answer.status === 500 ? 'unknown' : 'refused']++
        else told.accepted++
        if (--left === 0) enough.resolve()
        if (answer.status === 503) await pause(20)
      }
    }
    const talking = Promise.all(Array.from({ length: callers }, (_, caller) => talk(caller)))
    await enough.promise
    await pause(chance.below(50))
    await postgres.restart({ afterMs: awayMs[round % awayMs.length] ?? 0 })
    await answersAgain(server)
    isOver = true
    await talking
    onRound?.(round + 1)
  }
  await allSettled(world)
  return { rounds, ...told, ...(await auditLedger(world)) }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

type Asked = { round: number; caller: number; i: number; workflowId: number }

/** A third of the callers chat, a third ask for pictures, a third start runs. */
async function ask(
  server: ServerProcess,
  { round, caller, i, workflowId }: Asked,
): Promise<Answer> {
  const name = `task ${round}.${caller}.${i}`
  const messages = [{ role: 'user', content: name }]
  const chat = { path: `${P}/chat/completions`, json: { model: 'test/text', messages } }
  const picture = { path: `${P}/images/generations`, json: { model: 'fal/flux-schnell', messages } }
  const run = {
    path: `${P}/workflows/${workflowId}/runs`,
    headers: { 'idempotency-key': randomUUID() },
    json: { inputs: { in: name } },
  }
  const answer = await server.call({
    method: 'POST',
    ...([chat, picture, run][caller % 3] ?? chat),
  })
  if (answer.status === 500) assert.equal(answer.body.error.code, 'OUTCOME_UNKNOWN', answer.text)
  else if (answer.status === 409) assert.equal(answer.body.error.code, 'IDEMPOTENCY_IN_PROGRESS')
  else assert.ok([200, 202, 503].includes(answer.status), answer.text)
  return answer
}

const answersAgain = (server: ServerProcess) =>
  eventually(
    () => server.call('/readyz'),
    ({ status }) => status === 200,
    60_000,
  )

async function allSettled({ db }: World) {
  const open = [
    'select id, stage, owner from tasks where completed_at is null',
    'select id, status, owner from runs where completed_at is null',
    `select attempt, run_id, created_at from ledger where outcome = 'PENDING'`,
    'select batch from chat_intents',
  ]
  for (const sql of open) {
    const look = () => db.query(`${sql} limit 5`).catch((error: Error) => [error.message])
    await eventually(look, (rows) => rows.length === 0, 180_000)
  }
}

/** Every call a double took is one row at its exact cost, and nothing else is billed. */
async function auditLedger(world: World) {
  const attempts = await attemptsIn(world)
  const billed = attempts.filter(({ outcome }) => outcome !== 'REJECTED')
  const [chats, pictures] = [
    billed.filter(({ operation }) => operation === 'chat'),
    billed.filter(({ operation }) => operation === 'image'),
  ]
  const [openai, fal] = await Promise.all([world.doubles.openai.state(), world.doubles.fal.state()])
  const notExact = billed.filter(
    ({ outcome, operation, cost_micros }) =>
      outcome !== 'SUCCEEDED' ||
      cost_micros !== (operation === 'chat' ? chatMicros : pictureMicros),
  )
  assert.deepEqual(notExact.slice(0, 5), [], `${notExact.length} are not exact`)
  assert.equal(chats.length, openai.counts.accepted, 'chats in the ledger and at the double')
  assert.equal(pictures.length, fal.counts.accepted, 'pictures in the ledger and at the double')
  const micros = billed.reduce((sum, row) => sum + (row.cost_micros ?? 0), 0)
  const [days] = await world.db.query<{ calls: number; micros: number }>(
    'select sum(calls) as calls, sum(cost_micros) as micros from spend_days',
  )
  assert.deepEqual([Number(days?.calls), Number(days?.micros)], [billed.length, micros])
  const wrong = await world.db.query(
    `select r.id, r.cost_micros, sum(l.cost_micros) as ledger_micros
     from runs r join ledger l on l.run_id = r.id group by r.id, r.cost_micros
     having r.cost_micros <> coalesce(sum(l.cost_micros), 0) limit 5`,
  )
  assert.deepEqual(wrong, [], 'runs whose cost is not the sum of their calls')
  const statuses = await world.db.query<{ status: string; n: number }>(
    'select status, count(*) as n from runs group by status',
  )
  const runs = Object.fromEntries(statuses.map(({ status, n }) => [status, n]))
  return { billedChats: chats.length, billedPictures: pictures.length, micros, runs }
}
