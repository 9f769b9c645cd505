// Clients of a server whose power will be cut. They keep count, outside of it, of everything it has
// acknowledged; afterwards all of that must be there.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { graph } from '../../journeys/runs/setting.ts'
import { type Answer, type Call, P } from '../../support/server.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import type { Chance } from '../chance.ts'

const area = '/api/console/v1'

/** The server did not answer: it is dead, or dying. */
class Gone extends Error {}

export type Told = {
  /** Run identifiers by the name that is in their prompts. */
  runs: Map<string, string>
  /** Names of cancelled runs. */
  cancelled: Set<string>
  /** Ends that callers have seen, by run. */
  ended: Map<string, string>
  tasks: Set<string>
  chats: Map<string, number>
  /** Names by identifier; null if deleted. */
  workflows: Map<number, string | null>
  /** API keys, and whether they are still valid. */
  keys: Map<string, boolean>
}

export const nothingTold = (): Told => ({
  runs: new Map(),
  cancelled: new Set(),
  ended: new Map(),
  tasks: new Set(),
  chats: new Map(),
  workflows: new Map(),
  keys: new Map(),
})

export const work = graph(
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

type Load = {
  server: ServerProcess
  told: Told
  chance: Chance
  /** Makes names that no other round uses. */
  name(): string
  syncMs: number
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function ask({ server }: Pick<Load, 'server'>, call: Call | string): Promise<Answer> {
  const answer = await server.call(call).catch((error: unknown) => {
    throw new Gone('no answer', { cause: error })
  })
  // The machine, not the server, may be too slow for the double behind it.
  if (answer.status === 503 || answer.status === 504) throw new Gone(answer.text)
  return answer
}

/** Until the server is gone. */
export async function keepBusy(load: Load): Promise<void> {
  const workflowId = await addWorkflow(load).catch(() => undefined)
  if (workflowId === undefined) return
  const actors = [
    ...Array.from({ length: 12 }, () => () => runOnce(load, workflowId)),
    ...[editOnce, orderOnce, chatOnce, chatOnce].map((act) => () => act(load)),
    keyMaker(load),
  ]
  await Promise.all(
    actors.map(async (act) => {
      try {
        for (;;) await act()
      } catch (error) {
        if (!(error instanceof Gone)) throw error
      }
    }),
  )
}

async function addWorkflow(load: Load): Promise<number> {
  const json = { name: load.name(), data: work }
  const made = await ask(load, { method: 'POST', path: `${P}/workflows`, json })
  assert.equal(made.status, 200, made.text)
  load.told.workflows.set(made.body.data.id, json.name)
  return made.body.data.id
}

/** One key is submitted several times at once, once with other content; some runs are cancelled. */
async function runOnce(load: Load, workflowId: number) {
  const { told, chance } = load
  const name = load.name()
  const headers = { 'idempotency-key': randomUUID() }
  const path = `${P}/workflows/${workflowId}/runs`
  const send = async (text: string, afterMs: number) => {
    await pause(afterMs)
    const answer = await ask(load, {
      method: 'POST',
      path,
      headers,
      json: { inputs: { in: text } },
    })
    const { data, error } = answer.body
    const runId = data?.runId ?? error?.details?.runId
    if (error?.code === 'IDEMPOTENCY_IN_PROGRESS') return
    assert.ok(runId, answer.text)
    assert.equal(told.runs.get(name) ?? runId, runId, `${name}: one key, two runs`)
    told.runs.set(name, runId)
  }
  const later = () => 1 + chance.below(2 * load.syncMs)
  const sent = await Promise.allSettled([
    send(name, 0),
    send(name, later()),
    send(name, later()),
    send(`${name} other`, later() + 5),
  ])
  for (const one of sent) if (one.status === 'rejected') throw one.reason
  const runId = told.runs.get(name)
  if (runId === undefined) return
  if (chance.below(3) === 0) await cancel(load, name, runId)
  await read(load, runId)
}

async function cancel(load: Load, name: string, runId: string) {
  await pause(load.chance.below(30))
  const call = { method: 'POST', path: `${P}/workflow-runs/${runId}/cancel` }
  const answers = await Promise.allSettled([ask(load, call), ask(load, call)])
  for (const one of answers) {
    if (one.status === 'rejected') throw one.reason
    assert.equal(one.value.status, 200, one.value.text)
    if (one.value.body.data.cancelRequestedAt !== null) load.told.cancelled.add(name)
  }
}

async function read(load: Load, runId: string) {
  const { body, status, text } = await ask(load, `${P}/workflow-runs/${runId}`)
  assert.equal(status, 200, text)
  if (body.data.completedAt !== null) load.told.ended.set(runId, body.data.status)
}

async function orderOnce(load: Load) {
  const json = { model: 'fal/flux-schnell', messages: [{ role: 'user', content: load.name() }] }
  const answer = await ask(load, { method: 'POST', path: `${P}/images/generations`, json })
  assert.equal(answer.status, 200, answer.text)
  load.told.tasks.add(answer.body.taskId)
}

async function chatOnce(load: Load) {
  const json = { model: 'test/text', messages: [{ role: 'user', content: load.name() }] }
  const answer = await ask(load, { method: 'POST', path: `${P}/chat/completions`, json })
  assert.equal(answer.status, 200, answer.text)
  load.told.chats.set(answer.body.data.id, Date.now())
}

async function editOnce(load: Load) {
  const { told } = load
  const id = await addWorkflow(load)
  const json = { name: load.name(), data: work }
  const path = `${P}/workflows/${id}`
  // Until it is answered, a change may be there or not.
  told.workflows.delete(id)
  const edited = await ask(load, { method: 'PUT', path, json })
  assert.equal(edited.status, 200, edited.text)
  told.workflows.set(id, json.name)
  if (load.chance.below(2) === 0) return
  told.workflows.delete(id)
  const call = { method: 'DELETE', path }
  const gone = async () => {
    const { status, text } = await ask(load, call)
    assert.ok(status === 200 || status === 404, text)
    told.workflows.set(id, null)
  }
  for (const one of await Promise.allSettled([gone(), gone()]))
    if (one.status === 'rejected') throw one.reason
}

/** As a person of their own, who makes keys and revokes some of them. */
function keyMaker(load: Load): () => Promise<void> {
  const headers: Record<string, string> = { origin: load.server.url }
  const askAsPerson = async (method: string, path: string, json?: unknown) => {
    const answer = await ask(load, { method, path: area + path, json, key: null, headers })
    assert.equal(answer.status, 200, answer.text)
    return answer
  }
  return async () => {
    if (!headers.cookie) {
      const user = { email: `${randomUUID()}@example.com`, password: 'correct horse battery' }
      const signedUp = await askAsPerson('POST', '/sign-up', user)
      headers.cookie = String(signedUp.headers['set-cookie']).split(';')[0] ?? ''
    }
    const { body } = await askAsPerson('POST', '/api-keys', { name: 'key' })
    load.told.keys.set(body.data.key, true)
    if (load.chance.below(2) === 0) return
    load.told.keys.delete(body.data.key)
    await askAsPerson('DELETE', `/api-keys/${body.data.id}`)
    load.told.keys.set(body.data.key, false)
  }
}

/** Resolves with what was acknowledged and is not there; throws if the server dies meanwhile. */
export async function missing(server: ServerProcess, told: Told): Promise<string[]> {
  const wrong: string[] = []
  const get = (path: string, call: Partial<Call> = {}) => ask({ server }, { path, ...call })
  for (const [name, runId] of told.runs) {
    const { status, body } = await get(`${P}/workflow-runs/${runId}`)
    if (status !== 200) wrong.push(`run ${name} is answered with ${status}`)
    else if (told.cancelled.has(name) && body.data.cancelRequestedAt === null)
      wrong.push(`run ${name} is not cancelled any more`)
    const seen = told.ended.get(runId)
    if (seen && body.data?.status !== seen)
      wrong.push(`run ${name} was ${seen} and is ${body.data?.status}`)
  }
  for (const id of told.tasks) {
    const { status } = await get(`${P}/tasks/${id}`)
    if (status !== 200) wrong.push(`task ${id} is answered with ${status}`)
  }
  for (const [id, name] of told.workflows) {
    const { status, body } = await get(`${P}/workflows/${id}`)
    const found = status === 404 ? null : body.data?.name
    if (found !== name) wrong.push(`workflow ${id} is ${found} instead of ${name}`)
  }
  for (const [key, isValid] of told.keys) {
    const { status } = await get(`${P}/models`, { key })
    if (status !== (isValid ? 200 : 401)) wrong.push(`a key is answered with ${status}`)
  }
  return wrong
}

export const isGone = (error: unknown): boolean => error instanceof Gone
