// Graphs with loops, and workers that execute them.
import jsonata from 'jsonata'
import type { Routes } from '#core/route.ts'
import type { RunWorkerOptions } from '#engine/runs/run-worker.ts'
import type { Db } from '#store/db.ts'
import {
  addRun,
  addWorkflow,
  countingProvider,
  newAccount,
  type Provided,
  rowOf,
  startProcess,
} from './setting.ts'

export type Graph = Parameters<typeof addWorkflow>[2]

export const wire = (source: string, target: string, targetHandle: string) => ({
  source,
  target,
  targetHandle,
})
export const generate = { type: 'text.generate', data: { model: 'm' } }
export const call = { type: 'workflow.call', data: { workflowId: 'called' } }

/** A text for each item of a list, unless `data` says something else. */
export const forEach = (data: object): Graph => ({
  nodes: [
    { id: 'in', type: 'input.json', data: {} },
    {
      id: 'each',
      type: 'flow.map',
      data: { apply: generate, concurrency: 4, maxItems: 10_000, ...data },
    },
  ],
  connections: [wire('in', 'each', 'items')],
})

export const repeat = (data: object): Graph => ({
  nodes: [
    { id: 'in', type: 'input.text', data: {} },
    { id: 'again', type: 'flow.repeat', data: { apply: generate, ...data } },
  ],
  connections: [wire('in', 'again', 'value')],
})

const evaluate: RunWorkerOptions['deps']['evaluate'] = async ({ expression, input }) => ({
  value: await jsonata(expression).evaluate(input),
})

type Begun = {
  graph: Graph
  /** Workflows that it calls; the settings name the first as "called". */
  called?: readonly Graph[]
  inputs: object
  maxCostMicros?: number
  routes?: Routes
}

const nobody = { keyId: null, limits: {}, accountSpendPerMonthMicros: null }

/** A run of the graph, and workers that execute it one after the other. */
export async function begin(
  db: Db,
  { graph, called = [], inputs, maxCostMicros, routes }: Begun,
  prepare: (provider: Provided) => void = () => {},
) {
  const provider = countingProvider()
  prepare(provider)
  const account = newAccount()
  const pinned: [number, number][] = []
  const named = (one: Graph): Graph =>
    JSON.parse(JSON.stringify(one).replaceAll('"called"', String(pinned.at(-1)?.[0])))
  for (const inner of called) {
    pinned.push([(await addWorkflow(db, account, named(inner))).id, 1])
  }
  const workflow = await addWorkflow(db, account, named(graph))
  const start = () => startProcess(db, provider, { evaluate })
  const process = await start()
  const id = await addRun(db, account, workflow, {
    inputs: JSON.stringify(inputs),
    called: pinned.length > 0 ? pinned : null,
    ...(maxCostMicros === undefined ? {} : { max_cost_micros: maxCostMicros }),
    ...(routes ? { spender: { ...nobody, routes } } : {}),
  })
  return { provider, account, process, start, id }
}

export async function outputsOf(db: Db, id: string) {
  const { outputs } = await rowOf(db, id)
  return outputs === null ? null : JSON.parse(outputs)
}

/** What the ledger knows of a run's cost. */
export async function billedMicros(db: Db, id: string): Promise<number> {
  const [ledger] = await db.query<{ micros: number | null }>(
    'select sum(cost_micros) as micros from ledger where run_id = $1',
    [id],
  )
  return Number(ledger?.micros ?? 0)
}
