// What a key of reuse is made of, seen from outside: what does not change the request does not change
// the bill, and what changes where it goes, or as whom, is asked again.
import assert from 'node:assert/strict'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { startDouble } from '../../support/provider-doubles/double.ts'
import { wires } from '../../support/provider-doubles/wires.ts'
import { type Body, P } from '../../support/server.ts'
import { startHost } from '../generation/host.ts'
import { keyedModels, openKeys } from '../generation/keyed-doubles.ts'
import {
  type Bench,
  type Customer,
  eventually,
  newCustomer,
  openBench,
  testModels,
} from '../generation/setting.ts'
import { addWorkflow, type Caller, ended, graph, readRun, started, until } from './setting.ts'

const two = (data: object = {}) =>
  graph(
    [
      { id: 'a', type: 'text.generate', data: { model: 'test/text', prompt: 'a', ...data } },
      { id: 'b', type: 'text.generate', data: { model: 'test/text', ...data } },
    ],
    ['a -> b.prompt'],
  )

const as = (bench: Bench, { key }: Pick<Customer, 'key'>): Caller => ({
  call: (call) => bench.call({ ...(typeof call === 'string' ? { path: call } : call), key }),
})

/** How many calls it makes now. */
async function asked(bench: Bench, on: Caller, workflowId: number, more: object = {}) {
  const before = bench.doubles.openai.counts.accepted
  await completed(on, workflowId, more)
  return bench.doubles.openai.counts.accepted - before
}

async function completed(on: Caller, workflowId: number, more: object = {}) {
  const run = await ended(on, await started(on, workflowId, { reuse: 'exact', ...more }))
  assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
}

type ModelsFile = { models: object[]; endpoints: object[]; deployments?: object[] }

/** Replaces MODELS_FILE; `name` is that of its first model, by which it is seen when it is read. */
async function replaceModels(bench: Bench, name: string, file: ModelsFile) {
  const path = join(bench.dataDir, 'models.json')
  const [first, ...others] = file.models
  await writeFile(
    `${path}.new`,
    JSON.stringify({ ...file, models: [{ ...first, name }, ...others] }),
  )
  await rename(`${path}.new`, path)
  await eventually(
    async () => (await bench.call(`${P}/models`)).body.data.items as Body[],
    (items) => items.some((model) => model.name === name),
  )
}

/** Resolves once an estimate says that these nodes would be reused. */
const reusableNodes = (on: Caller, workflowId: number, nodes: readonly string[]) =>
  eventually(
    async () => {
      const path = `${P}/workflows/${workflowId}/estimate`
      const answer = await on.call({ method: 'POST', path, json: { reuse: 'exact' } })
      return answer.body.data.reusableNodes as string[]
    },
    (found) => found.join() === nodes.join(),
  )

for (const { name: database } of databases) {
  describe(`what earlier answers are kept for, on ${database}`, () => {
    test('a secret that is rotated changes nothing, another credential everything', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      const customer = await newCustomer(bench)
      const on = as(bench, customer)
      const { key } = bench.doubles.openai
      const store = (name: string, secret: string) =>
        customer.ask('POST', '/credentials', { name, kind: 'provider', provider: 'openai', secret })
      await store('mine', key)
      const mine = two({ model: 'openai/gpt-6.1-terra', credential: 'mine' })
      const workflowId = await addWorkflow(on, mine)
      assert.deepEqual(
        [await asked(bench, on, workflowId), await asked(bench, on, workflowId)],
        [2, 0],
      )
      const rotated = { kind: 'provider', provider: 'openai', secret: key }
      await customer.ask('PUT', '/credentials/mine', rotated)
      assert.equal(await asked(bench, on, workflowId), 0)
      await store('other', key)
      const other = two({ model: 'openai/gpt-6.1-terra', credential: 'other' })
      assert.equal(await asked(bench, on, await addWorkflow(on, other)), 2)
    })

    test('a model that has moved to another address is asked again', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      const moved = await startDouble(wires.openai, { key: bench.doubles.openai.key })
      t.after(() => moved.close())
      const workflowId = await addWorkflow(bench, two())
      assert.equal(await asked(bench, bench, workflowId), 2)
      const endpoints = [{ name: 'local', baseUrl: moved.url, apiKey: moved.key }]
      await replaceModels(bench, 'Moved', { models: testModels.models, endpoints })
      assert.equal(await asked(bench, bench, workflowId), 0)
      assert.equal(moved.counts.accepted, 2)
    })

    test('a provider with several keys counts as the places they go to, also in a route', async (t) => {
      const { bench, keys } = await openKeys(t, { database })
      const customer = await newCustomer(bench)
      const on = as(bench, customer)
      await customer.ask('PUT', '/routes/writer', { candidates: [{ model: 'keyed/text' }] })
      const secret = { kind: 'provider', provider: 'keyed', secret: keys.a.key }
      await customer.ask('POST', '/credentials', { name: 'mine', ...secret })
      const workflows = [
        await addWorkflow(on, two({ model: 'keyed/text' })),
        await addWorkflow(on, two({ model: 'route:writer' })),
        // A key of the account goes to the address of the provider.
        await addWorkflow(on, two({ model: 'keyed/text', credential: 'mine' })),
      ]
      const calls = async () => {
        const accepted = () => Object.values(keys).reduce((n, { counts }) => n + counts.accepted, 0)
        const made: number[] = []
        for (const id of workflows) {
          const before = accepted()
          await completed(on, id)
          made.push(accepted() - before)
        }
        return made
      }
      const deployment = (name: 'a' | 'b', more: object = {}) => {
        const { key, url } = keys[name]
        return { provider: 'keyed', name, baseUrl: url, apiKey: key, ...more }
      }
      const endpoints = [{ name: 'keyed', baseUrl: keys.a.url, apiKey: keys.a.key }]
      const change = (name: string, deployments?: object[]) =>
        replaceModels(bench, name, {
          models: keyedModels,
          endpoints,
          ...(deployments && { deployments }),
        })
      assert.deepEqual(await calls(), [2, 2, 2])
      assert.deepEqual(await calls(), [0, 0, 0])
      const [a, b] = [deployment('a'), deployment('b')]
      await change('Two places', [a, b])
      assert.deepEqual(await calls(), [2, 2, 0])
      const again = deployment('b', { name: 'third', weight: 5 })
      await change('A third key, in another order', [again, b, a])
      assert.deepEqual(await calls(), [0, 0, 0])
      const named = deployment('b', { models: { big: 'small' } })
      await change('Another model at one', [a, named])
      assert.deepEqual(await calls(), [2, 2, 0])
      await change('One place', [a])
      assert.deepEqual(await calls(), [2, 2, 0])
      await change('The same without a name')
      assert.deepEqual(await calls(), [0, 0, 0])
    })

    test('a route counts as its definition', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      const customer = await newCustomer(bench)
      const on = as(bench, customer)
      const route = { candidates: [{ model: 'test/text' }] }
      await customer.ask('PUT', '/routes/writer', route)
      const workflowId = await addWorkflow(on, two({ model: 'route:writer' }))
      assert.equal(await asked(bench, on, workflowId), 2)
      await customer.ask('PUT', '/routes/writer', { ...route, description: 'For texts' })
      assert.equal(await asked(bench, on, workflowId), 0)
      const wider = { candidates: [{ model: 'test/text' }, { model: 'demo-text' }] }
      await customer.ask('PUT', '/routes/writer', wider)
      assert.equal(await asked(bench, on, workflowId), 2)
    })

    test('what a limit lets a route ask for is a part of the request, as of a model', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      const customer = await newCustomer(bench)
      const on = as(bench, customer)
      await customer.ask('PUT', '/routes/writer', { candidates: [{ model: 'test/text' }] })
      const limited = { maxCost: 1 }
      for (const model of ['test/text', 'route:writer']) {
        const workflowId = await addWorkflow(on, two({ model }))
        assert.equal(await asked(bench, on, workflowId, limited), 2, model)
        assert.equal(await asked(bench, on, workflowId, limited), 0, model)
        // An answer that was cut there need not be cut here.
        assert.equal(await asked(bench, on, workflowId), 2, model)
      }
    })

    test('the answer of a fallback is nobody else’s', async (t) => {
      const [text] = testModels.models
      const second = { ...text, id: 'test/second', provider: 'anthropic' }
      const models = { models: [{ ...text, fallbacks: ['test/second'] }, second] }
      const doubles = ['openai', 'anthropic'] as const
      const bench = await openBench(t, { database, doubles, models })
      const on = as(bench, await newCustomer(bench))
      const workflowId = await addWorkflow(on, two())
      bench.doubles.openai.always('chat', { do: 'refuse', status: 429 })
      const byFallback = bench.doubles.anthropic.counts
      for (const calls of [2, 4]) {
        await asked(bench, on, workflowId)
        assert.equal(byFallback.accepted, calls)
      }
      bench.doubles.openai.always('chat', { do: 'answer' })
      assert.equal(await asked(bench, on, workflowId), 2)
      assert.equal(await asked(bench, on, workflowId), 0)
    })

    test('what a cancelled run had paid for is there, and usage says what was saved', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      const customer = await newCustomer(bench)
      const on = as(bench, customer)
      const { openai } = bench.doubles
      openai.script('chat', { do: 'answer' }, { do: 'hold' })
      const workflowId = await addWorkflow(on, two())
      const runId = await started(on, workflowId)
      await openai.arrived('chat', 2)
      await on.call({ method: 'POST', path: `${P}/workflow-runs/${runId}/cancel`, json: {} })
      openai.release()
      const cancelled = await until(on, runId, ({ completedAt, inFlight }) =>
        Boolean(completedAt && !inFlight),
      )
      assert.equal(cancelled.status, 'CANCELLED')
      // Also what was in flight: it is paid for as well, and stored after the end of the run.
      await reusableNodes(on, workflowId, ['a', 'b'])
      const again = await ended(on, await started(on, workflowId, { reuse: 'exact' }))
      const [first, second] = again.nodes
      assert.equal(first.reusedFrom.runId, runId)
      assert.equal(second.reusedFrom.runId, runId)
      assert.equal(openai.counts.chat, 2)
      const usage = await customer.ask('GET', '/usage')
      assert.equal(usage.body.data.savedCost.amount, again.savedCost.amount)
      const tagged = await ended(on, await started(on, workflowId, { reuse: 'exact', tag: 'x' }))
      const ofTag = await customer.ask('GET', '/usage?tag=x')
      assert.equal(ofTag.body.data.savedCost.amount, tagged.savedCost.amount)
      assert.ok(tagged.savedCost.amount > 0)
      assert.equal(first.savedCost.amount, (await readRun(on, runId)).nodes[0].cost.amount)
      assert.ok(first.savedCost.amount > 0)
    })

    test('a picture whose address stands in a text is asked about again, as estimated', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai', 'fal'], models: testModels })
      const nodes = [
        { id: 'cat', type: 'input.text', data: { default: 'cat' } },
        { id: 'p', type: 'image.generate', data: { model: 'fal/flux-schnell' } },
        { id: 'words', type: 'text.template', data: { template: 'See {{picture}}' } },
        { id: 'a', type: 'text.generate', data: { model: 'test/text' } },
      ]
      const wired = ['cat -> p.prompt', 'p.image -> words.picture', 'words -> a.prompt']
      const workflowId = await addWorkflow(bench, graph(nodes, wired))
      assert.equal(await asked(bench, bench, workflowId), 1)
      await reusableNodes(bench, workflowId, ['p'])
      assert.equal(await asked(bench, bench, workflowId), 1)
      assert.equal(bench.doubles.fal.counts.submit, 1)
    })

    test('a request to another system is sent again, unless its node says how long', async (t) => {
      const env = { OUTBOUND_ALLOW: '127.0.0.1/32' }
      const bench = await openBench(t, { database, doubles: [], env })
      const statuses = [200, 200, 200, 404, 404]
      const host = await startHost(t, (_, response) => {
        response.writeHead(statuses[host.requests.length - 1] ?? 200).end('"x"')
      })
      const hour = { maxAgeSeconds: 3600 }
      const get = (data: object) => ({ url: host.url, method: 'GET', ...data })
      const request = (data: object) =>
        graph([{ id: 'get', type: 'http.request', data: get({ failOnHttpError: false, ...data }) }])
      const list = graph(
        [
          { id: 'items', type: 'input.json', data: { default: ['x'] } },
          {
            id: 'each',
            type: 'flow.map',
            data: { reuse: hour, apply: { type: 'http.request', data: get({}) } },
          },
        ],
        ['items -> each.items'],
      )
      const sent = async (workflowId: number) => {
        const before = host.requests.length
        const run = await ended(bench, await started(bench, workflowId, { reuse: 'exact' }))
        assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
        return host.requests.length - before
      }
      const [plain, inList] = [
        await addWorkflow(bench, request({})),
        await addWorkflow(bench, list),
      ]
      for (const workflowId of [plain, plain, inList]) assert.equal(await sent(workflowId), 1)
      const bad = await addWorkflow(bench, request({ reuse: hour }))
      assert.deepEqual([await sent(bad), await sent(bad)], [1, 1], 'only 2xx is reused')
      const good = await addWorkflow(bench, request({ reuse: hour, url: `${host.url}/good` }))
      assert.deepEqual([await sent(good), await sent(good)], [1, 0])
      assert.equal(await sent(inList), 1, 'what its list says is not said by the request')
    })

    test('an estimate knows that a budget of its workflow is a part of the requests', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      const customer = await newCustomer(bench)
      const on = as(bench, customer)
      const workflowId = await addWorkflow(on, two())
      const name = { scope: 'workflow', target: String(workflowId), period: 'day' }
      await customer.ask('PUT', '/budgets', { ...name, limit: 5 })
      assert.equal(await asked(bench, on, workflowId), 2)
      const { body } = await on.call({
        method: 'POST',
        path: `${P}/workflows/${workflowId}/estimate`,
        json: { reuse: 'exact' },
      })
      assert.deepEqual([body.data.highCost, body.data.reusableNodes], [0, ['a', 'b']])
      assert.equal(await asked(bench, on, workflowId), 0)
    })
  })
}
