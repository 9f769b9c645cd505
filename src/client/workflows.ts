import type { RunInput } from './shared-records.ts'
import type { PageOptions } from './tasks.ts'
import { type CallOptions, query, type Send, safe, segment } from './transport.ts'
import type {
  DeletedWorkflow,
  Estimate,
  Graph,
  NewWorkflow,
  Validation,
  Workflow,
  WorkflowPage,
  WorkflowPatch,
  WorkflowSchema,
} from './workflow-records.ts'

type ChangeOptions = CallOptions & {
  /**
   * The version your change is based on: a number, or an ETag as the server sent it. If the
   * workflow has another version by now, the call fails with PRECONDITION_FAILED.
   */
  ifMatch?: number | string | undefined
}

const ifChangeLost = 'Read the workflow to find out.'
const ifCreateLost = 'Do not create it again at once: list the workflows to find out.'

const at = (workflowId: number, rest = '') => `/workflows/${segment(workflowId)}${rest}`

export function createWorkflows(send: Send) {
  return {
    async list({ page, size, cursor, ...options }: PageOptions = {}): Promise<WorkflowPage> {
      const path = `/workflows${query({ page, size, cursor })}`
      return (await send({ method: 'GET', path, safety: safe }, options)).data as WorkflowPage
    },
    async get(workflowId: number, options?: CallOptions): Promise<Workflow> {
      const path = at(workflowId)
      return (await send({ method: 'GET', path, safety: safe }, options)).data as Workflow
    },
    async create(workflow: NewWorkflow, options?: CallOptions): Promise<Workflow> {
      const { data } = await send(
        {
          method: 'POST',
          path: '/workflows',
          body: workflow,
          safety: { repeat: 'refused', ifLost: ifCreateLost },
        },
        options,
      )
      return data as Workflow
    },
    /** Changes a workflow. Omitted properties keep their value. */
    async update(
      workflowId: number,
      patch: WorkflowPatch,
      { ifMatch, ...options }: ChangeOptions = {},
    ): Promise<Workflow> {
      const { data } = await send(
        {
          method: 'PUT',
          path: at(workflowId),
          body: patch,
          headers: conditional(ifMatch),
          safety: { repeat: 'answered', ifLost: ifChangeLost },
        },
        options,
      )
      return data as Workflow
    },
    /** Deletes the workflow permanently. Its runs continue and keep their history. */
    async delete(
      workflowId: number,
      { ifMatch, ...options }: ChangeOptions = {},
    ): Promise<DeletedWorkflow> {
      const { data } = await send(
        {
          method: 'DELETE',
          path: at(workflowId),
          headers: conditional(ifMatch),
          safety: { repeat: 'answered', ifLost: ifChangeLost },
        },
        options,
      )
      return data as DeletedWorkflow
    },
    /**
     * Checks a graph without storing it. Resolves even if the graph is invalid: check `valid` and
     * `errors`. Pass the `workflowId` that the graph is meant for to detect that it calls itself.
     */
    async validate(
      data: Graph,
      { workflowId, ...options }: CallOptions & { workflowId?: number | undefined } = {},
    ): Promise<Validation> {
      const body = { data, ...(workflowId === undefined ? {} : { workflowId }) }
      const call = { method: 'POST', path: '/workflows/validate', body } as const
      return (await send({ ...call, safety: safe }, options)).data as Validation
    },
    async schema(workflowId: number, options?: CallOptions): Promise<WorkflowSchema> {
      const path = at(workflowId, '/schema')
      return (await send({ method: 'GET', path, safety: safe }, options)).data as WorkflowSchema
    },
    /** Estimates the cost of a run without calling a provider. */
    async estimate(
      workflowId: number,
      input: RunInput = {},
      options?: CallOptions,
    ): Promise<Estimate> {
      const call = { method: 'POST', path: at(workflowId, '/estimate'), body: input } as const
      return (await send({ ...call, safety: safe }, options)).data as Estimate
    },
  }
}

const conditional = (ifMatch: number | string | undefined): Record<string, string> =>
  ifMatch === undefined
    ? {}
    : { 'if-match': typeof ifMatch === 'number' ? `"v${ifMatch}"` : ifMatch }
