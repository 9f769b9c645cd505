import { graphBytes } from '#core/account-cache.ts'
import { Failure, type Issue, invalid } from '#core/errors.ts'
import { type Routes, routesText } from '#core/route.ts'
import { withRoutes } from '#core/routed-catalogue.ts'
import type { PinnedVersion, RunOptions } from '#core/run-facts.ts'
import { modelLookup } from '#graph/node/model-lookup.ts'
import { type RunPart, unknownPins, withPart } from '#graph/plan/part.ts'
import type { Plan } from '#graph/plan/plan.ts'
import { unknownTargets } from '#graph/plan/targets.ts'
import { findNodeType } from '#graph/types/table.ts'
import { checkInputs } from '#graph/validation/run-inputs.ts'
import { deadResults } from '#graph/validation/unsupported.ts'
import { findGraph } from '#store/tables/workflows.ts'
import type { Context } from '../context.ts'
import { requireValid } from '../workflows/examine-graph.ts'
import { refusedPins, withoutPinned } from './pinned-results.ts'
import type { CompiledInputs } from './run-services.ts'

/**
 * Validates a graph of a workflow that the caller has found, and caches the result by version, whose
 * graph never changes, and by revision of the models, which can change. Graphs that call other
 * workflows are validated each time, since those may have changed.
 */
export async function acceptGraph(
  context: Context,
  workflow: { id: number; data_version: number },
  part: RunPart = {},
): Promise<CompiledInputs> {
  if (part.targets || part.pins || part.fresh) return (await compile(context, workflow, part)).graph
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
  part: RunPart = {},
): Promise<{ graph: CompiledInputs; chars: number }> {
  const data = await findGraph(context.services.db, workflow.id, workflow.data_version)
  if (!data) throw new Failure('WORKFLOW_NOT_FOUND')
  return {
    graph: await compileGraph(context, workflow.id, data.value, part),
    chars: data.text.length,
  }
}

/** Validates a graph that is meant for this workflow, stored or not. */
export async function compileGraph(
  context: Context,
  workflowId: number,
  data: object,
  part: RunPart,
): Promise<CompiledInputs> {
  const { calls, validation, ...valid } = await requireValid(context, data, workflowId)
  const plan = planFor(valid.plan, part)
  const versions = [...calls.called.values()].map(
    ({ workflowId, version }): PinnedVersion => [workflowId, version],
  )
  const nodes = [plan, ...[...calls.called.values()].map((one) => one.plan)]
    .flatMap((one) => one.nodes.filter((node) => !node.isPinned && !one.leftOut?.has(node.index)))
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

type AskedOptions = Pick<RunOptions, 'targets' | 'pins' | 'fresh'> & { reuse?: 'none' | 'exact' }

/** What a run is asked besides its inputs; `reuse` may be left to the workflow. Null: nothing. */
export function optionsOf(
  { targets, pins, fresh, reuse }: AskedOptions,
  graph: Pick<CompiledInputs, 'reuses'>,
): RunOptions | null {
  const isReusing = reuse === undefined ? graph.reuses : reuse === 'exact'
  if (!targets && !pins && !isReusing) return null
  return {
    ...(targets ? { targets } : {}),
    ...(pins ? { pins } : {}),
    ...(isReusing ? { reuse: 'exact', ...(fresh ? { fresh } : {}) } : {}),
  }
}

/** Whether a workflow reuses answers unless a run says otherwise. */
export const reusesByDefault = (data: object): boolean => 'reuse' in data && data.reuse === 'exact'

/** The plan of a run of this part. Throws if the graph lacks one of its nodes. */
export function planFor(plan: Plan, part: RunPart): Plan {
  const { targets = [], fresh = [], pins = {} } = part
  const issues = [...missing(plan, 'targets', targets), ...missing(plan, 'fresh', fresh)]
  if (issues.length > 0) throw invalid('INPUT_INVALID', issues, `${issues[0]?.message}.`)
  const lost = unknownPins(plan, pins)
  if (lost.length > 0) throw refusedPins(lost, 'is not in the workflow, or cannot be pinned')
  return withPart(plan, part)
}

const missing = (plan: Plan, name: 'targets' | 'fresh', ids: readonly string[]): Issue[] =>
  unknownTargets(plan, ids).map((position) => ({
    path: `/${name}/${position}`,
    rule: 'node',
    message: `the workflow has no node "${ids[position]}"`,
  }))

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
  pins?: RunOptions['pins'],
): Promise<void> {
  const issues = await checkInputs(plan, withoutPinned(inputs, pins), {
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
