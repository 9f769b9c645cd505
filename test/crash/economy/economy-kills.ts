// Servers are killed, kill -9, while runs with deadlines wait for a vendor's batches, and the vendor
// loses answers, refuses and returns calls. At the end every run has its answer before its deadline,
// the vendor has answered each prompt once, and its bill is the ledger's.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Db } from '#store/db.ts'
import { eventually } from '../../journeys/generation/setting.ts'
import { addWorkflow, graph, submit } from '../../journeys/runs/setting.ts'
import { price, type Submission, startBatchDouble } from '../../support/provider-doubles/batches.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { seeded } from '../chance.ts'
import { openWorld, type World } from '../tasks/setting.ts'

export type EconomyKills = {
  database: Db['kind']
  runs: number
  kills: number
  seed: number
  onKill?(kill: number): void
}

const pricing = { inputPerMillionTokens: 2, outputPerMillionTokens: 8 }
const models = {
  models: [
    { id: 'test/batched', provider: 'openai', kind: 'TEXT', pricing, batch: true },
    { id: 'test/claude', provider: 'anthropic', kind: 'TEXT', pricing, batch: true },
  ],
}

const write = (model: string) =>
  graph(
    [
      { id: 'in', type: 'input.text' },
      { id: 'write', type: 'text.generate', data: { model } },
    ],
    ['in -> write.prompt'],
  )

const submissions: Submission[] = ['accept', 'accept', 'accept', 'lose', 'drop', 'busy']
/** Beyond all the kills: a missed deadline would be the fault of the server. */
const deadlineMs = 1_800_000

export async function killEconomy({ database, runs, kills, seed, onKill }: EconomyKills) {
  const chance = seeded(seed)
  await using vendor = await startBatchDouble()
  await using world = await openWorld(database, vendor.env)
  await writeFile(join(world.dataDir, 'models.json'), JSON.stringify(models))
  vendor.batchMs = 500
  // As at the vendors: beyond fifty pages nobody looks for a batch that was lost.
  vendor.pageSize = 100
  // One in twenty comes back unprocessed.
  vendor.fateOf = (prompt) => (Number(prompt.split(' ').at(-1)) % 20 === 7 ? 'expire' : 'answer')
  const roles = database === 'sqlite' ? ['all'] : ['all', 'worker']
  const fleet = await Promise.all(roles.map((ROLE) => world.start({ ROLE })))
  const server = () => fleet[0] as ServerProcess
  const flows = [
    await addWorkflow(server(), write('test/batched')),
    await addWorkflow(server(), write('test/claude')),
  ]
  const ids = new Map<string, string>()
  const perRound = Math.ceil(runs / (kills + 1))
  for (let round = 0; round <= kills; round++) {
    const prompts = Array.from({ length: perRound }, (_, i) => round * perRound + i)
    for (const n of prompts.filter((n) => n < runs)) {
      const flow = flows[n % 2] ?? 0
      ids.set(`prompt ${n}`, await submitted(server, flow, `prompt ${n}`))
    }
    vendor.submissions.push(chance.of(submissions))
    if (round === kills) break
    await pause(chance.below(1_500))
    await restart(world, fleet, { index: chance.below(roles.length), roles })
    onKill?.(round + 1)
  }
  const ended = await allEnded(world, ids)
  return { kills, ...(await audit(world, vendor, ended)) }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function restart(
  world: World,
  fleet: ServerProcess[],
  { index, roles }: { index: number; roles: readonly string[] },
): Promise<void> {
  await fleet[index]?.kill()
  // So many deaths in a row would be held against the runs.
  await world.write('update runs set deaths = 0')
  fleet[index] = await world.start({ ROLE: roles[index] ?? 'all' })
}

/** With its key until it is heard: a repeated submission finds its run. */
async function submitted(server: () => ServerProcess, flow: number, prompt: string) {
  const deadlineAt = new Date(Date.now() + deadlineMs).toISOString()
  const json = { inputs: { in: prompt }, lane: 'economy', deadlineAt }
  const answer = await submit(server(), flow, json, { key: prompt })
  assert.ok(answer.status === 202 || answer.status === 200, answer.text)
  return String(answer.body.data.runId)
}

type EndedRun = { id: string; status: string; cost_micros: number; late: number }

async function allEnded({ db }: World, ids: ReadonlyMap<string, string>): Promise<EndedRun[]> {
  const look = () =>
    db.query<EndedRun>(
      `select id, status, cost_micros,
         case when completed_at > must_end_by then 1 else 0 end as late
       from runs where completed_at is not null and in_flight = 0`,
    )
  return eventually(look, (runs) => runs.length === ids.size, deadlineMs)
}

async function audit(
  { db }: World,
  vendor: Awaited<ReturnType<typeof startBatchDouble>>,
  ended: readonly EndedRun[],
): Promise<object> {
  const failed = ended.filter(({ status }) => status !== 'COMPLETED')
  // A call made alone whose worker was killed may have been billed, and is not repeated.
  const lost = await db.query<{ run_id: string; cost_micros: number }>(
    `select run_id, cost_micros from ledger where outcome = 'UNKNOWN'`,
  )
  assert.deepEqual(new Set(failed.map(({ id }) => id)), new Set(lost.map(({ run_id }) => run_id)))
  assert.equal(ended.filter(({ late }) => late === 1).length, 0, 'a deadline was missed')
  for (const [prompt, count] of vendor.accepted) assert.equal(count, 1, `${prompt} was sent twice`)
  for (const [prompt, count] of vendor.batched) assert.equal(count, 1, `${prompt} was paid twice`)
  const [row] = await db.query<{ spent: number; n: number }>(
    `select sum(cost_micros) as spent, sum(case when outcome = 'SUCCEEDED' then 1 else 0 end) as n
     from ledger where outcome <> 'UNKNOWN'`,
  )
  const answered = vendor.batched.size + [...vendor.alone.values()].reduce((a, b) => a + b, 0)
  const unheard = answered - Number(row?.n)
  assert.ok(unheard >= 0 && unheard <= lost.length, `${unheard} answers that nobody has`)
  const billed = vendor.billedMicros()
  const spent = Number(row?.spent)
  assert.equal(spent, billed - unheard * price.alone)
  const cost = ended.reduce((sum, run) => sum + Number(run.cost_micros), 0)
  const lostMicros = lost.reduce((sum, one) => sum + Number(one.cost_micros ?? 0), 0)
  assert.equal(cost, spent + lostMicros, 'runs cost what the ledger says')
  const share = billed / (ended.length * price.alone)
  assert.ok(share < 0.6, `${share} of the normal price`)
  const batches = vendor.batches.length
  return { runs: ended.length, batches, share: Number(share.toFixed(3)), lost: lost.length }
}
