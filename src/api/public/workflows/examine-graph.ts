import { Failure, type Issue, invalid } from '#core/errors.ts'
import { modelLookup } from '#graph/node/model-lookup.ts'
import type { Plan } from '#graph/plan/plan.ts'
import type { CallTable, LoadGraphs } from '#graph/validation/calls.ts'
import type { GraphErrorCode, Problem, Validation } from '#graph/validation/problems.ts'
import { type ValidatedGraph, validateGraph } from '#graph/validation/validate.ts'
import { findCredentials } from '#store/tables/credentials.ts'
import { findWorkflow, findWorkflows, type WholeWorkflow } from '#store/tables/workflows.ts'
import type { Context } from '../context.ts'

/** Validates a graph, which by default may call only the current workflows of the same account. */
export function examineGraph(
  context: Context,
  data: unknown,
  selfId: number | null,
  load: LoadGraphs = loadCurrent(context),
): Promise<ValidatedGraph> {
  const { db, catalogue, graphs } = context.services
  const { accountId, routes } = context.principal
  return validateGraph(data, {
    models: modelLookup(catalogue, { routes }),
    selfId,
    load,
    checkExpressions: (texts) => graphs.checkExpressions(accountId, texts),
    checkSchemas: (checks) => graphs.checkSchemas(accountId, checks),
    findCredentials: (names) => findCredentials(db, accountId, names),
  })
}

const loadCurrent =
  ({ services: { db }, principal: { accountId } }: Context): LoadGraphs =>
  async (ids, limits) => {
    const rows = await findWorkflows(db, accountId, ids, limits)
    return (
      rows?.map((row) => ({
        workflowId: row.id,
        version: row.data_version,
        data: row.data.value,
        chars: row.data.text.length,
      })) ?? null
    )
  }

type ValidGraph = { plan: Plan; calls: CallTable; validation: Validation }

export async function requireValid(
  context: Context,
  data: unknown,
  selfId: number | null,
): Promise<ValidGraph> {
  const { plan, calls, validation } = await examineGraph(context, data, selfId)
  if (plan) return { plan, calls, validation }
  const [first] = validation.errors
  throw invalid('WORKFLOW_INVALID', validation.errors.map(toIssue), first?.message)
}

/** Paths are relative to the body, like those of all other issues. */
const toIssue = ({ path, ...problem }: Problem<GraphErrorCode>): Issue => ({
  path: `/data${path}`,
  rule: 'graph',
  ...problem,
})

export async function requireWorkflow(
  { services, principal }: Context,
  workflowId: number,
): Promise<WholeWorkflow> {
  const row = await findWorkflow(services.db, principal.accountId, workflowId)
  if (!row) throw new Failure('WORKFLOW_NOT_FOUND')
  return row
}
