// A workflow called by a node: its plan is executed inside the same run, under the node's path.
import { NodeFailure } from '#graph/node/node-failure.ts'
import type { NodeExecution } from '#graph/node/node-type.ts'
import { readAs } from '#graph/node/port-values.ts'
import { isMedia } from '#graph/node/values.ts'
import type { Plan, PlanNode } from '#graph/plan/plan.ts'
import { checkInputs } from '#graph/validation/run-inputs.ts'
import { busyWith } from './activity.ts'
import type { CallSite } from './call-site.ts'
import { executePlan, type PlanObserver } from './execute-plan.ts'
import { toNodeError, unforeseen } from './node-error.ts'
import { type NodeScope, windDown } from './node-scope.ts'
import { isInterruption, NotRecorded } from './recorded-call.ts'
import { noteUnusable } from './reuse.ts'
import { WindingDown } from './run-halt.ts'
import { isUnavailable, runIsolated } from './run-isolated.ts'

export async function callWorkflow(
  scope: NodeScope,
  site: CallSite,
  call: {
    workflowId: number
    inputs: Readonly<Record<string, unknown>>
    /** What the nodes of the called workflow may do, by path. */
    nodeCalls(path: string, node: PlanNode): NodeExecution
  },
): Promise<Record<string, unknown>> {
  const { deps, work, slots } = scope
  const { workflowId } = call
  const called = work.compiled.called.get(workflowId)
  if (!called) throw new NodeFailure('SUBWORKFLOW_FAILED', `Workflow ${workflowId} is not pinned.`)
  const inputs = await readInputs(scope, site, called.plan, call.inputs)
  const under = `${site.path}/`
  const end = await executePlan(called, inputs, {
    slots,
    held: work.held,
    observer: scope.recorder?.plan(under) ?? quiet(scope, under),
    ...(scope.recorder ? { goOn: true } : { failsFast: true }),
    execution: (node) => call.nodeCalls(under + node.id, node),
    activity: site.activity,
    values: { ...work.values, under },
  })
  const own = end.failures.filter(({ error }) => !(error instanceof WindingDown))
  // In a run that is only read, a node that was never begun says nothing about the others.
  const first = own.find(({ error }) => !(error instanceof NotRecorded)) ?? own[0]
  if (!first) {
    if (end.failures[0]) throw end.failures[0].error
    return end.outputs
  }
  if (isInterruption(first.error)) throw first.error
  if (first.error instanceof NotRecorded || isUnavailable(first.error)) throw first.error
  const known = toNodeError(first.error)
  if (!known) deps.onError(first.error, work.row.id)
  const { code, message } = known ?? unforeseen
  const where = `Workflow ${workflowId}, node "${first.node.id}"`
  const { error: cause } = first
  throw new NodeFailure('SUBWORKFLOW_FAILED', `${where}: ${code}: ${message}`, { cause })
}

const quiet = (scope: NodeScope, under: string): PlanObserver => ({
  mayStart: () => scope.halt.throwIfEnding(),
  started: () => {},
  completed: () => {},
  skipped: () => {},
  failed(node, error) {
    noteUnusable(scope.work, under + node.id, error)
    windDown(scope)
  },
})

/** Values may come over json connections, so they are checked against the declared inputs here. */
async function readInputs(
  scope: NodeScope,
  site: CallSite,
  plan: Plan,
  given: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const { deps, work } = scope
  const inputs: Record<string, unknown> = {}
  const checked: Record<string, unknown> = {}
  for (const { id, type, ports } of plan.nodes) {
    if (!type.inputSchema) continue
    const value = given[id]
    if (value === undefined || value === null) continue
    const portType = ports.outputs[0]?.type ?? 'any'
    const isPicture = portType === 'image' || portType === 'video'
    // A picture is imported by the input node itself, under its own path.
    const read = isPicture ? value : await readAs(noImport, portType, value)
    inputs[id] = read
    if (!isMedia(read) || !isPicture) checked[id] = read
  }
  const issues = await checkInputs(
    plan,
    { ...mediaStandIns(inputs, checked), ...checked },
    {
      checkSchemas: (checks) =>
        busyWith(site.activity, () =>
          runIsolated(scope, (patience) =>
            deps.checkSchemas(work.row.account_id, checks, patience),
          ),
        ),
      missing: 'refused',
    },
  )
  if (issues[0]) throw new NodeFailure('TYPE_MISMATCH', `${issues[0].message}.`)
  site.calls++
  return inputs
}

const noImport = {
  importMedia: () =>
    Promise.reject(new NodeFailure('TYPE_MISMATCH', 'The value is not an image or video.')),
}

/** The schema expects addresses, so stored media are checked by theirs. */
function mediaStandIns(inputs: Record<string, unknown>, checked: Record<string, unknown>) {
  const names = Object.keys(inputs).filter((name) => !Object.hasOwn(checked, name))
  return Object.fromEntries(
    names.map((name) => {
      const value = inputs[name]
      return [name, isMedia(value) ? value.url : value]
    }),
  )
}
