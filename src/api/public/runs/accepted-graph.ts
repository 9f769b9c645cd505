import { graphBytes } from '#core/account-cache.ts'
import { Failure, type Issue, invalid } from '#core/errors.ts'
import { type Routes, routesText } from '#core/route.ts'
import { withRoutes } from '#core/routed-catalogue.ts'
import type { PinnedVersion, RunOptions } from '#core/run-facts.ts'
import { modelLookup } from '#graph/node/model-lookup.ts'
import type { Plan } from '#graph/plan/plan.ts'
import { unknownTargets, withTargets } from '#graph/plan/targets.ts'
import { findNodeType } from '#graph/types/table.ts'
import { checkInputs } from '#graph/validation/run-inputs.ts'
import { deadResults } from '#graph/validation/unsupported.ts'
import { findGraph } from '#store/tables/workflows.ts'
import type { Context } from '../context.ts'
import { requireValid } from '../workflows/examine-graph.ts'
import type { CompiledInputs } from './run-services.ts'

/**
 * Validates a graph of a workflow that the caller has found, and caches the result by version, whose
 * graph never changes, and by revision of the models, which can change. Graphs that call other
 * workflows are validated each time, since those may have changed.
 */
export async function acceptGraph(
  context: Context,
  workflow: { id: number; data_version: number },
  targets?: readonly string[],
): Promise<CompiledInputs> {
  if (targets) return (await compile(context, workflow, targets)).graph
  const { accepted } = context.services.runs
  const { accountId, routes } = context.principal
  const models = `${context.services.catalogue.revision} ${routesText(routes)}`
  const key = `${workflow.id}@${workflow.data_version} ${models}`
  const known = accepted.get(accountId, key)
  if (known) return known
  const { graph, chars } = await compile(context, workflow)
  if (!graph.called) accepted.set(accountId, key, graph, graphBytes(chars))
  return graph
}

async function compile(
  context: Context,
  workflow: { id: number; data_version: number },
  targets?: readonly string[],
): Promise<{ graph: CompiledInputs; chars: number }> {
  const data = await findGraph(context.services.db, workflow.id, workflow.data_version)
  if (!data) throw new Failure('WORKFLOW_NOT_FOUND')
  return {
    graph: await compileGraph(context, workflow.id, data.value, targets),
    chars: data.text.length,
  }
}

/** Validates a graph that is meant for this workflow, stored or not. */
export async function compileGraph(
  context: Context,
  workflowId: number,
  data: object,
  targets?: readonly string[],
): Promise<CompiledInputs> {
  const { calls, validation, ...valid } = await requireValid(context, data, workflowId)
  const plan = planFor(valid.plan, targets)
  const versions = [...calls.called.values()].map(
    ({ workflowId, version }): PinnedVersion => [workflowId, version],
  )
  const nodes = [plan, ...[...calls.called.values()].map((one) => one.plan)]
    .flatMap((one) => one.nodes.filter(({ index }) => !one.leftOut?.has(index)))
    .map(({ typeName, config }) => ({ type: typeName, data: config }))
  return {
    plan,
    called: versions.length > 0 ? versions : null,
    unsupported: validation.unsupportedNodes,
    dead: deadResults(plan, validation.unsupportedNodes),
    mayCost: mayCost(context, nodes),
    mayWait: mayWait(nodes),
    unpriced: unpricedModels(context, nodes),
    routes: routesOf(context, nodes),
    reuses: reusesByDefault(data),
  }
}

/** What a run is asked besides its inputs; `reuse` may be left to the workflow. Null: nothing. */
export function optionsOf(
  { targets, reuse }: { targets?: readonly string[]; reuse?: 'none' | 'exact' },
  graph: Pick<CompiledInputs, 'reuses'>,
): RunOptions | null {
  const isReusing = reuse === undefined ? graph.reuses : reuse === 'exact'
  if (!targets && !isReusing) return null
  return { ...(targets ? { targets } : {}), ...(isReusing ? { reuse: 'exact' } : {}) }
}

/** Whether a workflow reuses answers unless a run says otherwise. */
export const reusesByDefault = (data: object): boolean => 'reuse' in data && data.reuse === 'exact'

/** The plan of a run with these targets. Throws if the graph lacks one of them. */
export function planFor(plan: Plan, targets: readonly string[] | undefined): Plan {
  const issues = targets ? unknownTargets(plan, targets).map((at) => missing(at, targets[at])) : []
  if (issues.length > 0) throw invalid('INPUT_INVALID', issues, `${issues[0]?.message}.`)
  return withTargets(plan, targets)
}

const missing = (position: number, id: string | undefined): Issue => ({
  path: `/targets/${position}`,
  rule: 'node',
  message: `the workflow has no node "${id}"`,
})

/** Nodes of a graph, valid or not. */
type NodeSettings = readonly { type: string; data?: object }[]

/** True if a node calls a model with a price or with an unknown price. */
export function mayCost({ services, principal }: Context, nodes: NodeSettings): boolean {
  const models = modelLookup(services.catalogue, principal)
  return modelIdsOf(nodes).some((id) => {
    const { pricing = null } = models(id) ?? {}
    return pricing === null || Object.values(pricing).some((price) => Number(price) > 0)
  })
}

export const mayWait = (nodes: NodeSettings): boolean =>
  nodes.some(({ type, data }) => findNodeType(type)?.waits?.({ ...data }) === true)

/** The models of a graph whose price is not known. */
function unpricedModels({ services, principal }: Context, nodes: NodeSettings): string[] {
  const models = modelLookup(services.catalogue, { routes: principal.routes })
  return [...new Set(modelIdsOf(nodes))].filter((id) => models(id)?.pricing === null)
}

function routesOf({ services, principal }: Context, nodes: NodeSettings): Routes | undefined {
  const catalogue = withRoutes(services.catalogue, principal.routes)
  const routes = modelIdsOf(nodes).flatMap((id) => catalogue.known(id)?.route ?? [])
  return routes.length > 0
    ? Object.fromEntries(routes.map((route) => [route.name, route]))
    : undefined
}

const modelIdsOf = (nodes: NodeSettings): string[] =>
  nodes.flatMap(({ type, data }) => {
    const id = findNodeType(type)?.model?.({ ...data }, { nodeType: findNodeType }) ?? null
    return id === null ? [] : [id]
  })

/** Throws if the graph cannot be run with these inputs. */
export async function checkRunnable(
  { services, principal }: Context,
  { plan, unsupported, dead }: CompiledInputs,
  inputs: Record<string, unknown>,
): Promise<void> {
  const issues = await checkInputs(plan, inputs, {
    checkSchemas: (checks) => services.graphs.checkSchemas(principal.accountId, checks),
    missing: 'refused',
  })
  if (issues.length > 0) {
    const located: Issue[] = issues.map((issue) => ({ ...issue, path: `/inputs${issue.path}` }))
    throw invalid('INPUT_INVALID', located, `${issues[0]?.message}.`)
  }
  const outputs = dead.length > 0 ? deadResults(plan, unsupported, inputs) : dead
  if (outputs.length > 0) {
    throw new Failure('UNSUPPORTED_NODES', { details: { outputs, unsupportedNodes: unsupported } })
  }
}

/** Throws if a limit of the caller refuses the run now, whoever starts it. */
export async function assertWithinLimits(
  { services: { runs }, principal }: Context,
  graph: CompiledInputs,
  options: { hasMaxCost: boolean; isReusing: boolean },
): Promise<void> {
  // What is reused costs nothing, so that only the calls themselves can say what does.
  if (!options.isReusing) {
    runs.assertPriced(principal, graph.unpriced, options)
    if (graph.mayCost) await runs.assertMaySpend(principal)
  }
  if (graph.mayWait) await runs.assertMayWait(principal.accountId)
}
