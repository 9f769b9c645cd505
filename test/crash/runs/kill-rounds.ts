// Processes are killed, and workers held up past their lease, again and again while runs are
// submitted, repeated and cancelled. At the end nothing may be lost, open, untold or paid twice.
// The same seed makes the same choices, though not the same moments.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Db } from '#store/db.ts'
import { type Receiver, startReceiver } from '../../contract/deliveries/receiver.ts'
import { watchTransitions } from '../../contract/runs/watch.ts'
import { eventually } from '../../journeys/generation/setting.ts'
import { addWorkflow, graph } from '../../journeys/runs/setting.ts'
import { type Answer, P } from '../../support/server.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { type Chance, seeded } from '../chance.ts'
import { openWorld, type World } from '../tasks/setting.ts'
import { auditRuns, type RunAudit } from './audit.ts'

export type RunKillRounds = {
  database: Db['kind']
  rounds: number
  seed: number
  onRound?(round: number): void
}

/** `notTakenOver`: pauses after which no other worker had taken the work within `takeOverMs`. */
type Disturbances = { kills: number; pauses: number; notTakenOver: number }

const runsPerRound = 20
// Of a lease of two seconds, with much room for a busy machine.
const takeOverMs = 15_000
const roles = {
  sqlite: ['all'],
  postgres: ['api', 'worker', 'worker', 'worker'],
} as const

export async function runKillRounds(
  options: RunKillRounds,
): Promise<RunAudit & Disturbances & { rounds: number }> {
  await using receiver = await startReceiver()
  await using world = await openWorld(options.database, {
    OUTBOUND_ALLOW: '127.0.0.1/32',
    CHAT_TIMEOUT_SECONDS: '5',
    CHAT_TOTAL_SECONDS: '5',
    // The default, from which the time follows for which PostgreSQL keeps the locks of a worker
    // that stands still in the middle of a transaction.
    HANDLER_TIMEOUT_SECONDS: '15',
  })
  await world.doubles.fal.plan('running', 'succeeded')
  const chance = seeded(options.seed)
  const fleet = await startFleet(world)
  await watchTransitions({ kind: world.database, write: world.write as Db['write'] })
  const workflowId = await addWorkflow(fleet.server(), work)
  const submitted = new Map<string, string>()
  for (let round = 0; round < options.rounds; round++) {
    const names = Array.from({ length: runsPerRound }, (_, i) => `task ${round}.${i}`)
    const asked = names.map(async (name) => {
      submitted.set(name, await submit(fleet.server, { workflowId, name, receiver }))
    })
    await Promise.all(asked.slice(0, chance.below(runsPerRound)))
    await pause(chance.below(120))
    await fleet.disturb(chance)
    await Promise.all(asked)
    await cancel(fleet.server(), chance.of([...submitted.values()].slice(-runsPerRound)))
    options.onRound?.(round + 1)
  }
  const seen = await auditRuns(world, fleet.server(), { submitted, receiver })
  return { rounds: options.rounds, ...fleet.disturbances, ...seen }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const work = graph(
  [
    { id: 'in', type: 'input.text' },
    { id: 'g', type: 'text.generate', data: { model: 'test/text' } },
    { id: 'name', type: 'text.template', data: { template: '{{in}} picture' } },
    { id: 'i', type: 'image.generate', data: { model: 'fal/flux-schnell' } },
    { id: 'a', type: 'output' },
    { id: 'b', type: 'output' },
  ],
  ['in -> g.prompt', 'in -> name.in', 'name -> i.prompt', 'g -> a', 'i -> b'],
)

async function startFleet(world: World) {
  const running = await startAll(world)
  const disturbances: Disturbances = { kills: 0, pauses: 0, notTakenOver: 0 }
  const server = (): ServerProcess => {
    const [first] = running
    if (!first) throw new Error('nothing serves')
    return first
  }
  const workersAre = (count: number, limitMs?: number) =>
    eventually(
      () => world.db.query("select id from workers where role = 'work'"),
      (rows) => rows.length === count,
      limitMs,
    )
  const kill = async (victim: number) => {
    await running[victim]?.kill()
    running[victim] = await world.start({ ROLE: roles[world.database][victim] ?? 'all' })
    disturbances.kills++
  }
  /** Held up until others have its work, then let go on with what it believes to own. */
  const holdUp = async (victim: number) => {
    running[victim]?.pause()
    await workersAre(running.length - 2, takeOverMs).catch(() => disturbances.notTakenOver++)
    running[victim]?.resume()
    await workersAre(running.length - 1)
    disturbances.pauses++
  }
  return {
    server,
    disturbances,
    async disturb(chance: Chance) {
      if (world.database === 'sqlite') return kill(0)
      // Mostly a worker; now and then the one that serves.
      const victim = 1 + chance.below(running.length - 1)
      if (chance.below(8) === 0) return holdUp(victim)
      return kill(chance.below(8) === 0 ? 0 : victim)
    },
  }
}

async function startAll(world: World): Promise<ServerProcess[]> {
  const running: ServerProcess[] = []
  for (const role of roles[world.database]) running.push(await world.start({ ROLE: role }))
  return running
}

const isToBeAskedAgain = ({ status, body }: Answer) =>
  status === 503 || body.error?.code === 'IDEMPOTENCY_IN_PROGRESS'

/** As a client does that must have this run: twice with one key, and again until it is answered. */
async function submit(
  server: () => ServerProcess,
  { workflowId, name, receiver }: { workflowId: number; name: string; receiver: Receiver },
): Promise<string> {
  const headers = { 'idempotency-key': randomUUID() }
  const path = `${P}/workflows/${workflowId}/runs`
  const json = { inputs: { in: name }, callbackUrl: receiver.url }
  const call = { method: 'POST', path, headers, json }
  const told: Answer[] = []
  const ask = async () => {
    const answer = await server()
      .call(call)
      .catch(() => undefined)
    if (answer && !isToBeAskedAgain(answer)) told.push(answer)
  }
  await Promise.all([ask(), ask()])
  while (told.length === 0) {
    await pause(50)
    await ask()
  }
  for (const { status, text } of told) assert.ok(status === 202 || status === 200, text)
  assert.ok(told.filter(({ status }) => status === 202).length <= 1, `${name}: accepted twice`)
  const [runId, ...others] = new Set(told.map(({ body }) => body.data.runId))
  assert.deepEqual(others, [], `${name}: one key, two runs`)
  return runId
}

async function cancel(server: ServerProcess, runId: string) {
  const call = { method: 'POST', path: `${P}/workflow-runs/${runId}/cancel` }
  let answer = await server.call(call)
  while (isToBeAskedAgain(answer)) {
    await pause(50)
    answer = await server.call(call)
  }
  assert.equal(answer.status, 200, answer.text)
}
