// Random graphs against a provider that counts what it is asked. What a run with reuse must ask is
// computed apart from the server: each request once, unless it was asked before.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Db } from '#store/db.ts'
import type { Random } from '../../simulation/random.ts'
import { type Body, P } from '../../support/server.ts'
import { newCustomer, openBench } from '../generation/setting.ts'
import { addWorkflow, type Caller, ended, type GraphNode, graph, started } from './setting.ts'

type Asked = { system: string; prompt: string }

/** Answers differ little, so that often a changed request is answered as before. */
const answerTo = ({ system, prompt }: Asked): string => {
  let sum = 0
  for (const letter of system.replace(/ edit [02468]/, '') + prompt)
    sum = (sum * 31 + letter.charCodeAt(0)) % 997
  return `answer ${sum % 2}`
}

const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function startCounter() {
  let asked = 0
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      asked++
      const body = JSON.parse(text)
      const say = (content: object) => {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(content))
      }
      if (request.url?.endsWith('/images/generations')) {
        return say({ created: 1, data: [{ b64_json: picture }] })
      }
      const of = (role: string) =>
        body.messages.find((one: Body) => one.role === role)?.content ?? ''
      const content = answerTo({ system: of('system'), prompt: of('user') })
      const message = { role: 'assistant', content }
      say({
        ...{ id: 'x', object: 'chat.completion', created: 1, model: 'm' },
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    get asked() {
      return asked
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

const models = (baseUrl: string) => ({
  endpoints: [{ name: 'counted', baseUrl, apiKey: 'k' }],
  models: [
    { id: 'c/text', provider: 'counted', kind: 'TEXT', pricing: free },
    { id: 'c/image', provider: 'counted', kind: 'IMAGE', pricing: { perImage: 0.01 } },
  ],
})
const free = { inputPerMillionTokens: 0, outputPerMillionTokens: 0 }

/** A node as both sides know it. `sources`: nodes before it. */
type Made =
  | { id: string; kind: 'text'; system: string; sources: string[] }
  | { id: string; kind: 'image'; system: string; sources: string[] }
  | { id: string; kind: 'map'; system: string; items: string[]; sources: string[] }

function someGraph(random: Random, name: string): Made[] {
  const count = 3 + random.below(8)
  return Array.from({ length: count }, (_, index): Made => {
    const id = `n${index}`
    const system = `${name} ${id}`
    const before = Array.from({ length: index }, (_, i) => `n${i}`)
    const sources = [...new Set(before.length > 0 ? pick(random, before) : [])]
    const dice = random.below(6)
    if (dice === 0) {
      const items = Array.from({ length: 1 + random.below(4) }, () => `item ${random.below(3)}`)
      return { id, kind: 'map', system, items, sources: [] }
    }
    return { id, kind: dice === 1 ? 'image' : 'text', system, sources }
  })
}

const pick = (random: Random, from: string[]): string[] =>
  Array.from({ length: random.below(3) }, () => from[random.below(from.length)] ?? '')

/** Each node has a template before it, which joins what its sources say. */
function toGraph(nodes: readonly Made[]) {
  const written: GraphNode[] = []
  const wires: string[] = []
  for (const node of nodes) {
    if (node.kind === 'map') {
      const apply = { type: 'text.generate', data: { model: 'c/text', system: node.system } }
      written.push({ id: `${node.id}l`, type: 'input.json', data: { default: node.items } })
      written.push({ id: node.id, type: 'flow.map', data: { apply } })
      wires.push(`${node.id}l -> ${node.id}.items`)
      continue
    }
    const names = node.sources.map((_, i) => `v${i}`)
    // A picture's prompt says which one it is, because it has no system text.
    const head = node.kind === 'image' ? node.system : 'say'
    const template = [head, ...names.map((name) => `{{${name}}}`)].join(' ')
    written.push({ id: `${node.id}t`, type: 'text.template', data: { template } })
    for (const [i, source] of node.sources.entries()) {
      const port = nodes.find(({ id }) => id === source)?.kind === 'map' ? 'results' : 'text'
      wires.push(`${source}.${port} -> ${node.id}t.v${i}`)
    }
    const data =
      node.kind === 'image' ? { model: 'c/image' } : { model: 'c/text', system: node.system }
    written.push({ id: node.id, type: `${node.kind}.generate`, data })
    wires.push(`${node.id}t -> ${node.id}.prompt`)
  }
  return graph(written, wires)
}

/** The requests of a run, each with the number of equal ones before it; by node. */
function requestsOf(nodes: readonly Made[]): Map<string, string[]> {
  const said = new Map<string, string>()
  return new Map(
    nodes.map((node) => {
      if (node.kind === 'map') {
        const answers = node.items.map((prompt) => answerTo({ system: node.system, prompt }))
        said.set(node.id, JSON.stringify(answers))
        const counts = new Map<string, number>()
        const keys = node.items.map((item) => {
          const number = counts.get(item) ?? 0
          counts.set(item, number + 1)
          return JSON.stringify([node.system, item, number])
        })
        return [node.id, keys]
      }
      const head = node.kind === 'image' ? node.system : 'say'
      const prompt = [head, ...node.sources.map((id) => said.get(id))].join(' ')
      const asked = { system: node.kind === 'image' ? '' : node.system, prompt }
      said.set(node.id, answerTo(asked))
      return [node.id, [JSON.stringify([asked.system, prompt, 0])]]
    }),
  )
}

export type ReuseTally = { graphs: number; runs: number; calls: number; reused: number }

type ProofOptions = {
  database: Db['kind']
  graphs: number
  random: Random
  onGraph?: (done: number) => void
}

export async function proveReuse(
  t: { after(close: () => unknown): void },
  { database, graphs, random, onGraph }: ProofOptions,
): Promise<ReuseTally> {
  const counter = await startCounter()
  t.after(counter.close)
  const bench = await openBench(t, { database, models: models(counter.url) })
  const { key } = await newCustomer(bench)
  const stranger = keyed(bench, key)
  const tally = { graphs: 0, runs: 0, calls: 0, reused: 0 }
  const counted = async (on: Caller, workflowId: number, body: object): Promise<[Body, number]> => {
    const before = counter.asked
    const run = await ended(on, await started(on, workflowId, body))
    assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
    tally.runs++
    tally.calls += counter.asked - before
    return [run, counter.asked - before]
  }
  for (; tally.graphs < graphs; tally.graphs++) {
    const nodes = withoutPictureSources(someGraph(random, `graph ${tally.graphs}`))
    const known = new Set<string>()
    const ask = (made: readonly Made[]): number => {
      const fresh = [...requestsOf(made).values()].flat().filter((key) => !known.has(key))
      for (const key of fresh) known.add(key)
      return fresh.length
    }
    const workflowId = await addWorkflow(bench, toGraph(nodes))
    const first = random.below(2) === 0 ? 'exact' : 'none'
    const [, calls] = await counted(bench, workflowId, { reuse: first })
    assert.equal(calls, ask(nodes), 'the first run asks everything')
    const exact = { reuse: 'exact' }
    const [again, none] = await counted(bench, workflowId, exact)
    assert.equal(none, 0, 'an unchanged run asks nothing')
    tally.reused += calls
    assert.equal(again.cost.amount, 0)

    const at = random.below(nodes.length)
    const edited = nodes.map((node, i) =>
      i === at ? { ...node, system: `${node.system} edit ${1 + random.below(9)}` } : node,
    )
    const path = `${P}/workflows/${workflowId}`
    await bench.call({ method: 'PUT', path, json: { data: toGraph(edited) } })
    const estimate = await bench.call({ method: 'POST', path: `${path}/estimate`, json: exact })
    const [run, asked] = await counted(bench, workflowId, exact)
    assert.equal(asked, ask(edited), 'an edit asks what it changes')
    tally.reused += [...requestsOf(edited).values()].flat().length - asked
    const { lowCost, highCost, estimatedCost, exact: isExact } = estimate.body.data
    assert.ok(lowCost <= run.cost.amount && run.cost.amount <= highCost, 'within the estimate')
    if (lowCost === highCost || isExact) assert.equal(estimatedCost, run.cost.amount)

    if (tally.graphs % 10 === 0) {
      const theirs = await addWorkflow(stranger, toGraph(edited))
      const [, paid] = await counted(stranger, theirs, exact)
      assert.equal(paid, [...requestsOf(edited).values()].flat().length, 'accounts share nothing')
    }
    onGraph?.(tally.graphs)
  }
  return tally
}

/** Addresses of pictures are new in every run, so that no text is made of them here. */
function withoutPictureSources(nodes: Made[]): Made[] {
  const pictures = new Set(nodes.filter(({ kind }) => kind === 'image').map(({ id }) => id))
  return nodes.map((node) => ({
    ...node,
    sources: node.sources.filter((id) => !pictures.has(id)),
  }))
}

const keyed = (bench: Caller, key: string): Caller => ({
  call: (call) => bench.call({ ...(typeof call === 'string' ? { path: call } : call), key }),
})
