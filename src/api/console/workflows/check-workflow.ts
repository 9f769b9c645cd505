import { Failure } from '#core/errors.ts'
import { Type } from '#core/schema.ts'
import { withPart } from '#graph/plan/part.ts'
import { inputSchemaOf, outputSchemaOf } from '#graph/plan/schema.ts'
import { findWorkflowHead } from '#store/tables/runs.ts'
import { answer } from '../../operation.ts'
import { optionsOf, reusesByDefault } from '../../public/runs/accepted-graph.ts'
import { findPinned } from '../../public/runs/pinned-results.ts'
import { RunInput } from '../../public/runs/run-record.ts'
import { estimateGraph, GraphEstimate, inputIssues } from '../../public/workflows/estimate-graph.ts'
import { examineGraph } from '../../public/workflows/examine-graph.ts'
import { Validation } from '../../public/workflows/graph-answers.ts'
import { workflowBodyBytes } from '../../public/workflows/workflow-record.ts'
import { Closed, NamedRecord, Nullable, WorkflowId } from '../../schemas.ts'
import { asApiCaller, defineConsole } from '../context.ts'
import { PortsByNode } from './graph-ports.ts'

const Schema = (description: string) => Type.Object({}, { description })

const Checked = NamedRecord('CheckedWorkflow', {
  validation: Validation,
  ports: PortsByNode,
  schema: Nullable(
    Closed({
      inputSchema: Schema('JSON Schema 2020-12 of inputs, keyed by input node ID.'),
      outputSchema: Schema('JSON Schema 2020-12 of outputs.'),
    }),
  ),
  inputIssues: Type.Array(
    Closed({ path: Type.String(), rule: Type.String(), message: Type.String() }),
    { description: 'The problems of the inputs; missing ones are allowed.' },
  ),
  estimate: Nullable(GraphEstimate),
})

export const checkWorkflow = defineConsole({
  id: 'checkWorkflow',
  route: 'POST /workflows/check',
  summary: 'Checks a graph without storing it: problems, ports, schemas and estimate',
  description:
    'Answers 200 for any graph. Schema and estimate are null if the graph is invalid, and the estimate also if an input is invalid.',
  access: 'viewer',
  bodyLimitBytes: workflowBodyBytes,
  body: Closed({
    workflowId: Type.Optional(
      Type.Integer({
        ...WorkflowId,
        description: 'The workflow that will have this graph, which then must not call itself.',
      }),
    ),
    data: Type.Object({}, { description: 'The graph: nodes and connections.' }),
    inputs: Type.Optional(
      Type.Object({}, { description: 'The inputs of a run, including results of browser nodes.' }),
    ),
    reuse: RunInput.properties.reuse,
    targets: RunInput.properties.targets,
    pins: RunInput.properties.pins,
    fresh: RunInput.properties.fresh,
    lane: RunInput.properties.lane,
    deadlineAt: RunInput.properties.deadlineAt,
  }),
  success: { 200: { description: 'The outcome', data: Checked } },
  errors: ['WORKFLOW_NOT_FOUND'],
  repeatable: true,
  isReadOnly: true,
  async handle(developer, { body: { workflowId = null, data, ...asked } }) {
    const context = asApiCaller(developer)
    const { services, principal } = context
    const isUnknown =
      workflowId !== null && !(await findWorkflowHead(services.db, principal.accountId, workflowId))
    if (isUnknown) throw new Failure('WORKFLOW_NOT_FOUND')
    const { plan, calls, ports, validation } = await examineGraph(context, data, workflowId)
    const inputs = (asked.inputs ?? {}) as Record<string, unknown>
    const pinned = await findPinned(context, asked.pins)
    const given = { ...inputs, ...pinned.results }
    const part = plan && withPart(plan, asked)
    const issues = part ? [...(await inputIssues(context, part, inputs)), ...pinned.issues] : []
    return answer({
      validation: { ...validation, warnings: validation.warnings.filter(isOpen(given)) },
      ports: Object.fromEntries(ports),
      schema: plan && { inputSchema: inputSchemaOf(plan), outputSchema: outputSchemaOf(plan) },
      inputIssues: issues,
      estimate:
        part && issues.length === 0
          ? await estimateGraph(context, { plan: part, calls, workflowId }, given, {
              ...reuseOf(asked, data),
              ...deadlineOf(asked),
            })
          : null,
    })
  },
})

function reuseOf(asked: { reuse?: 'none' | 'exact' }, data: object) {
  const options = optionsOf(asked, { reuses: reusesByDefault(data) })
  return options?.reuse ? { reuse: { isCostLimited: false } } : {}
}

/** A deadline that has passed while somebody typed is no reason to refuse the check. */
const deadlineOf = ({ lane, deadlineAt }: { lane?: 'economy'; deadlineAt?: string }) =>
  lane && deadlineAt ? { deadlineMs: Date.parse(deadlineAt) } : {}

/** A node that cannot run on this server is no problem if its result is among the inputs. */
const isOpen =
  (given: Record<string, unknown>) =>
  ({ code, nodeId }: { code: string; nodeId?: string }) =>
    code !== 'UNSUPPORTED_NODE' || nodeId === undefined || !Object.hasOwn(given, nodeId)
