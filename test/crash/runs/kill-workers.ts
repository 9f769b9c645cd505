// One process serves and three work; again and again one that works is killed while runs are
// submitted, cancelled and repeated. At the end nothing may be lost, open or paid twice.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { eventually } from '../../journeys/generation/setting.ts'
import { addWorkflow, graph } from '../../journeys/runs/setting.ts'
import { type Body, P } from '../../support/server.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { openWorld, type World } from '../tasks/setting.ts'

const runsPerRound = 20

export async function killWorkers({ rounds }: { rounds: number }): Promise<void> {
  await using world = await openWorld('postgres')
  await world.doubles.fal.plan('running', 'succeeded')
  const api = await world.start({ ROLE: 'api' })
  const workers = await Promise.all([1, 2, 3].map(() => world.start({ ROLE: 'worker' })))
  const workflowId = await addWorkflow(api, work)
  const submitted = new Map<string, string>()
  for (let round = 0; round < rounds; round++) {
    const names = Array.from({ length: runsPerRound }, (_, i) => `task ${round}.${i}`)
    const asked = names.map((name) => submit(api, workflowId, name, submitted))
    await Promise.all(asked.slice(0, runsPerRound / 2))
    const victim = workers.shift()
    await victim?.kill()
    workers.push(await world.start({ ROLE: 'worker' }))
    await Promise.all(asked)
    await cancelOne(api, [...submitted.values()].at(-1))
  }
  await eventually(
    () => world.db.query('select id, status, owner from runs where completed_at is null limit 5'),
    (open) => open.length === 0,
    120_000,
  )
  await audit(world, api, submitted)
}

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

/** Twice with one key, as a client does that lost the first answer. */
async function submit(
  api: ServerProcess,
  workflowId: number,
  name: string,
  submitted: Map<string, string>,
) {
  const headers = { 'idempotency-key': randomUUID() }
  const path = `${P}/workflows/${workflowId}/runs`
  const call = { method: 'POST', path, headers, json: { inputs: { in: name } } }
  const [first, second] = await Promise.all([api.call(call), api.call(call)])
  assert.deepEqual([first.status, second.status].sort(), [200, 202], first.text + second.text)
  assert.equal(first.body.data.runId, second.body.data.runId)
  submitted.set(name, first.body.data.runId)
}

async function cancelOne(api: ServerProcess, runId: string | undefined) {
  const answer = await api.call({ method: 'POST', path: `${P}/workflow-runs/${runId}/cancel` })
  assert.equal(answer.status, 200, answer.text)
}

async function audit(world: World, api: ServerProcess, submitted: Map<string, string>) {
  const [openai, fal] = await Promise.all([world.doubles.openai.state(), world.doubles.fal.state()])
  const chats = Map.groupBy(
    openai.requests.filter(({ route }) => route === 'chat'),
    ({ body }) => /"(task [0-9.]+)"/.exec(JSON.stringify(body))?.[1],
  )
  const pictures = Map.groupBy(
    fal.jobs,
    ({ body }) => /"(task [0-9.]+) picture"/.exec(JSON.stringify(body))?.[1],
  )
  for (const [name, runId] of submitted) {
    assert.ok((chats.get(name)?.length ?? 0) <= 1, `${name}: text was asked for twice`)
    assert.ok((pictures.get(name)?.length ?? 0) <= 1, `${name}: two pictures were made`)
    const run: Body = (await api.call(`${P}/workflow-runs/${runId}`)).body.data
    const told = JSON.stringify(run.nodeErrors)
    if (run.status === 'FAILED') assert.match(told, /PROVIDER_OUTCOME_UNKNOWN/, told)
    else if (run.status === 'CANCELLED') assert.ok(run.cancelRequestedAt, 'nobody cancelled it')
    else assert.deepEqual(Object.keys(run.outputs).sort(), ['a', 'b'])
  }
  const [rows] = await world.db.query<{ n: number }>('select count(*) as n from runs')
  assert.equal(rows?.n, submitted.size)
}
