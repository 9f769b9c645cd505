// The workflows of the simulated accounts. Prompts say which run and node they are of, so that a
// provider can tell whether it is asked for the same thing twice.
import { createCatalogue } from '#core/catalogue.ts'
import type { PinnedVersion } from '#core/run-facts.ts'
import type { Db } from '#store/db.ts'
import { insertAccount } from '#store/tables/accounts.ts'
import { insertWorkflow } from '#store/tables/workflows.ts'

type Node = { id: string; type: string; data: Record<string, unknown> }
type Graph = { nodes: Node[]; connections: object[] }

export type StoredWorkflow = {
  id: number
  nodeCount: number
  called: readonly PinnedVersion[] | null
  /** Somebody has to decide about its runs. */
  isWaiting: boolean
  inputsFor(key: string): Record<string, unknown>
}

export const accounts = [
  '01900000-0000-7000-8000-00000000000a',
  '01900000-0000-7000-8000-00000000000b',
] as const

/** What an account with a limit may spend: two pictures, and some text. */
export const limitMicros = 100_000
export const limitOf = (accountId: string) => (accountId === accounts[1] ? limitMicros : null)

const text = (id: string): Node => ({ id, type: 'text.generate', data: { model: 'words' } })
const input: Node = { id: 'in', type: 'input.text', data: {} }
const named = (id: string): Node => ({
  id,
  type: 'text.template',
  data: { template: `{{in}} ${id}` },
})
const wire = (source: string, target: string, targetHandle: string) => ({
  source,
  target,
  targetHandle,
})
const output = (id: string): Node => ({ id, type: 'output', data: {} })

const chain: Graph = {
  nodes: [input, text('first'), text('second')],
  connections: [wire('in', 'first', 'prompt'), wire('first', 'second', 'prompt')],
}

const wide: Graph = {
  nodes: [
    ...[input, named('a'), named('b'), named('c'), text('left'), text('right')],
    {
      id: 'post',
      type: 'http.request',
      data: { method: 'POST', url: 'https://api.test/act', responseType: 'text' },
    },
    ...[output('one'), output('two'), output('three')],
  ],
  connections: [
    ...[wire('in', 'a', 'in'), wire('in', 'b', 'in'), wire('in', 'c', 'in')],
    ...[wire('a', 'left', 'prompt'), wire('b', 'right', 'prompt'), wire('c', 'post', 'body')],
    ...[wire('left', 'one', 'value'), wire('right', 'two', 'value')],
    { source: 'post', sourceHandle: 'body', target: 'three', targetHandle: 'value' },
  ],
}

const pictures: Graph = {
  nodes: [
    ...[input, text('words'), named('drawn')],
    { id: 'picture', type: 'image.generate', data: { model: 'pictures' } },
    { id: 'other', type: 'image.generate', data: { model: 'pictures' } },
    ...[output('one'), output('two')],
  ],
  connections: [
    ...[wire('in', 'words', 'prompt'), wire('words', 'picture', 'prompt')],
    ...[wire('in', 'drawn', 'in'), wire('drawn', 'other', 'prompt')],
    { source: 'picture', sourceHandle: 'image', target: 'one', targetHandle: 'value' },
    { source: 'other', sourceHandle: 'image', target: 'two', targetHandle: 'value' },
  ],
}

const list = (data: object): Graph => ({
  nodes: [
    { id: 'in', type: 'input.json', data: {} },
    {
      id: 'each',
      type: 'flow.map',
      data: { apply: { type: 'text.generate', data: { model: 'words' } }, ...data },
    },
    output('all'),
  ],
  connections: [wire('in', 'each', 'items'), wire('each', 'all', 'value')],
})
const strictList = list({ concurrency: 2 })
/** Goes on after an item of which nobody knows what became. */
const lenientList = list({ concurrency: 1, onItemError: 'collect' })

const calling = (workflowId: number): Graph => ({
  nodes: [input, { id: 'call', type: 'workflow.call', data: { workflowId } }, text('after')],
  connections: [
    wire('in', 'call', 'in'),
    { source: 'call', sourceHandle: 'second', target: 'after', targetHandle: 'prompt' },
  ],
})

export const approvalSeconds = 25

/** Somebody approves or does not, while a time passes; behind both there is something to pay. */
const waiting: Graph = {
  nodes: [
    ...[input, text('draft'), text('published')],
    {
      id: 'ok',
      type: 'wait.approval',
      data: { title: 'Publish?', expiresAfterSeconds: approvalSeconds },
    },
    { id: 'pause', type: 'wait.delay', data: { seconds: 13 } },
    ...[named('late'), text('later'), output('one'), output('two')],
  ],
  connections: [
    ...[wire('in', 'draft', 'prompt'), wire('draft', 'ok', 'value')],
    { source: 'ok', sourceHandle: 'approved', target: 'published', targetHandle: 'prompt' },
    { source: 'published', target: 'one', targetHandle: 'value' },
    wire('in', 'pause', 'value'),
    { source: 'pause', sourceHandle: 'value', target: 'late', targetHandle: 'in' },
    ...[wire('late', 'later', 'prompt'), wire('later', 'two', 'value')],
  ],
}

/** Items of a list that wait for a time each, one after the other or beside each other. */
const waitingList: Graph = {
  nodes: [
    { id: 'in', type: 'input.json', data: {} },
    {
      id: 'each',
      type: 'flow.map',
      data: { apply: { type: 'wait.delay', data: { seconds: 12 } }, concurrency: 1 },
    },
    { id: 'words', type: 'text.template', data: { template: '{{all.0}} {{all.1}} {{all.2}}' } },
    ...[text('sum'), output('all')],
  ],
  connections: [
    ...[wire('in', 'each', 'items'), wire('each', 'words', 'all')],
    ...[wire('words', 'sum', 'prompt'), wire('sum', 'all', 'value')],
  ],
}

const model = (id: string, kind: 'TEXT' | 'IMAGE', pricing: object) => ({
  model: {
    ...{ id, name: id, provider: 'double', kind, description: '', enabled: true },
    capabilities: { inputModalities: ['text' as const], maxOutputTokens: 1_000 },
    pricing: { currency: 'USD' as const, ...pricing },
  },
  provider: 'double',
  providerModel: id,
  fallbacks: [],
})

export const catalogue = createCatalogue([
  model('words', 'TEXT', { inputPerMillionTokens: 1, outputPerMillionTokens: 1 }),
  model('pictures', 'IMAGE', { perImage: 0.04 }),
])

export async function addWorkflows(db: Db): Promise<Map<string, StoredWorkflow[]>> {
  const all = new Map<string, StoredWorkflow[]>()
  for (const accountId of accounts) {
    await db.transaction((tx) => insertAccount(tx, { id: accountId, name: 'a', nowMs: 1 }))
    await db.write('update accounts set spend_limit_micros = $2 where id = $1', [
      accountId,
      limitOf(accountId),
    ])
    const add = async (graph: Graph, calledId?: number): Promise<StoredWorkflow> => {
      const { id } = await insertWorkflow(db, {
        ...{ accountId, name: 'w', canvasScale: null, data: JSON.stringify(graph), nowMs: 1 },
        nodeCount: graph.nodes.length,
        connectionCount: graph.connections.length,
      })
      const isList = [strictList, lenientList, waitingList].includes(graph)
      return {
        ...{ id, nodeCount: graph.nodes.length },
        called: calledId === undefined ? null : [[calledId, 1]],
        isWaiting: graph === waiting,
        inputsFor: (key) => ({ in: isList ? [`${key} 1`, `${key} 2`, `${key} 3`] : key }),
      }
    }
    const first = await add(chain)
    const own = [first, await add(wide), await add(pictures), await add(strictList)]
    own.push(await add(lenientList), await add(waiting), await add(waitingList))
    all.set(accountId, [...own, await add(calling(first.id), first.id)])
  }
  return all
}
