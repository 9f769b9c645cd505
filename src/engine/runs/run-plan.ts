// Plans of pinned graphs, compiled once per version and cached. A plan depends on the versions that
// the run was accepted with, never on the current state of the account's workflows.
import { createAccountCache, graphBytes } from '#core/account-cache.ts'
import { type Routes, routesText } from '#core/route.ts'
import type { RunOptions } from '#core/run-facts.ts'
import type { ModelLookup } from '#graph/node/models.ts'
import { withPart } from '#graph/plan/part.ts'
import type { Plan } from '#graph/plan/plan.ts'
import {
  type CalledWorkflow,
  envOf,
  resolveCalls,
  type StoredGraph,
} from '#graph/validation/calls.ts'
import { checkGraph } from '#graph/validation/check-graph.ts'
import { deadResults, unsupportedNodes } from '#graph/validation/unsupported.ts'
import type { RunRow, Runs } from '#store/engine-store.ts'

/** A plan with lookup tables for its execution, by node index. */
export type CompiledPlan = {
  plan: Plan
  /** Nodes that wait for no other, in order. */
  starters: readonly number[]
  /** Wires into each node. */
  wireCounts: readonly number[]
  /** How often each node is read: by wires out of it, and once more if it is a result. */
  readCounts: readonly number[]
  /** Nodes that cannot run here and that no result needs. */
  skipped: ReadonlySet<number>
  isMerge: readonly boolean[]
  /** Whether a node takes no slot, because it only waits: for nodes that do, a time or an answer. */
  onlyWaits: readonly boolean[]
}

export type CompiledRun = CompiledPlan & {
  called: ReadonlyMap<number, CompiledPlan & CalledWorkflow>
}

export type PinnedRun = Pick<RunRow, 'account_id' | 'workflow_id' | 'data_version' | 'called'> &
  Partial<Pick<RunRow, 'options'>> & { spender?: { routes?: Routes | undefined } }

// Some 500 graphs of ordinary size.
const maxBytes = 64 * 1024 * 1024

export type PlanCache = { planOf(run: PinnedRun): Promise<CompiledRun> }

/** `revision` changes with the models, which decide what nodes can run here. */
export function createPlanCache(
  runs: Pick<Runs, 'graph'>,
  models: (routes: Routes | undefined) => ModelLookup,
  revision: () => number = () => 0,
): PlanCache {
  const plans = createAccountCache<CompiledRun>({ maxBytes })
  /** Plans being compiled: runs of one graph that begin together share the work. */
  const making = new Map<string, Promise<CompiledRun>>()

  async function make(run: PinnedRun, key: string) {
    const { compiled, chars } = await compileRun(runs, models(run.spender?.routes), run)
    plans.set(run.account_id, key, compiled, graphBytes(chars))
    return compiled
  }

  async function forPart(run: PinnedRun, options: RunOptions): Promise<CompiledRun> {
    const compiled = await planOf({ ...run, options: null })
    const plan = withPart(compiled.plan, options)
    if (!options.pins) return { ...compiled, plan }
    const { called } = compiled
    return { ...compilePlan(plan, models(run.spender?.routes), called), called }
  }

  function planOf(run: PinnedRun): Promise<CompiledRun> {
    const { options } = run
    if (options?.targets || options?.pins || options?.fresh) return forPart(run, options)
    const called = run.called?.join() ?? ''
    const routes = routesText(run.spender?.routes)
    const key = `${run.workflow_id}@${run.data_version} ${called} ${revision()} ${routes}`
    const known = plans.get(run.account_id, key)
    if (known) return Promise.resolve(known)
    // Failures are not cached, because they may be temporary.
    const made = making.get(key) ?? make(run, key).finally(() => making.delete(key))
    making.set(key, made)
    return made
  }
  return { planOf }
}

async function compileRun(
  runs: Pick<Runs, 'graph'>,
  models: ModelLookup,
  run: PinnedRun,
): Promise<{ compiled: CompiledRun; chars: number }> {
  const versions = new Map(run.called)
  let chars = 0
  const loadGraph = async (workflowId: number, version: number): Promise<StoredGraph | null> => {
    const graph = await runs.graph(workflowId, version)
    if (graph === undefined) return null
    chars += graph.text.length
    return { workflowId, version, data: graph.value, chars: graph.text.length }
  }
  const data = await loadGraph(run.workflow_id, run.data_version)
  if (!data) throw new Error(`the graph of workflow ${run.workflow_id} is gone`)
  const calls = await resolveCalls(data.data, {
    models,
    selfId: run.workflow_id,
    load: async (ids) => {
      const graphs = await Promise.all(
        ids.map((id) => {
          const version = versions.get(id)
          return version === undefined ? null : loadGraph(id, version)
        }),
      )
      return graphs.filter((graph) => graph !== null)
    },
  })
  const { plan, errors } = checkGraph(data.data, envOf(models, calls.called, calls.problem))
  if (!plan) throw new Error(`the graph is no longer valid: ${errors[0]?.message}`)
  const called = new Map(
    [...calls.called].map(([id, one]) => [
      id,
      { ...one, ...compilePlan(one.plan, models, calls.called) },
    ]),
  )
  return { compiled: { ...compilePlan(plan, models, calls.called), called }, chars }
}

export function compilePlan(
  plan: Plan,
  models: ModelLookup,
  called: ReadonlyMap<number, CalledWorkflow>,
): CompiledPlan {
  const unsupported = unsupportedNodes(plan, models, called)
  // If a result can no longer be computed, its node is executed, so that it fails and says why.
  // Browser nodes do not count: whether their results are given was decided at acceptance.
  const lost = unsupported.filter((node) => node.reason !== 'BROWSER_ONLY')
  const isWhole = deadResults(plan, lost).length === 0
  const unable = new Set(isWhole ? unsupported.map((node) => node.nodeId) : [])
  const skipped = plan.nodes.filter((node) => node.type.browserOnly || unable.has(node.id))
  const results = new Set(plan.results.map(({ node }) => node))
  return {
    plan,
    starters: plan.order.filter((index) => plan.nodes[index]?.wires.length === 0),
    wireCounts: plan.nodes.map((node) => node.wires.length),
    readCounts: plan.nodes.map(
      ({ targets }, index) => targets.length + (results.has(index) ? 1 : 0),
    ),
    skipped: new Set(skipped.map((node) => node.index)),
    isMerge: plan.nodes.map((node) => node.ports.inputs.some((port) => port.multi)),
    onlyWaits: plan.nodes.map(
      ({ type, config }) =>
        (type.calls?.(config) ?? null) !== null || type.waits?.(config) === true,
    ),
  }
}
