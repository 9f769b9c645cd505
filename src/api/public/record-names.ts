// The records of the API that have a name, in the OpenAPI document and as types of the client.
import type { Operation } from '../operation.ts'

export type RecordPath = [operation: string, ...members: string[]]

/** The path of each type: an operation, then the members below `body` or `data`. */
export const recordNames: Record<string, Record<string, RecordPath>> = {
  'shared-records': {
    Media: ['getTask', 'data', 'properties', 'imageContent', 'items'],
    Money: ['getWorkflowRun', 'data', 'properties', 'cost'],
    Graph: ['getWorkflow', 'data', 'properties', 'data'],
    UnsupportedNode: ['validateWorkflow', 'data', 'properties', 'unsupportedNodes', 'items'],
  },
  'generation-records': {
    Model: ['listModels', 'data', 'properties', 'items', 'items'],
    ModelList: ['listModels', 'data'],
    ChatRequest: ['createChatCompletion', 'body'],
    Completion: ['createChatCompletion', 'data'],
    CreativeRequest: ['generateImage', 'body'],
    TaskStatus: ['getTask', 'data', 'properties', 'status'],
    AcceptedTask: ['generateImage', 'data'],
    Task: ['getTask', 'data'],
    TaskPage: ['listTasks', 'data'],
  },
  'workflow-records': {
    WorkflowSummary: ['listWorkflows', 'data', 'properties', 'items', 'items'],
    WorkflowPage: ['listWorkflows', 'data'],
    Workflow: ['getWorkflow', 'data'],
    NewWorkflow: ['createWorkflow', 'body'],
    WorkflowPatch: ['updateWorkflow', 'body'],
    DeletedWorkflow: ['deleteWorkflow', 'data'],
    Validation: ['validateWorkflow', 'data'],
    WorkflowSchema: ['getWorkflowSchema', 'data'],
    Estimate: ['estimateWorkflow', 'data'],
    WorkflowTemplate: ['listWorkflowTemplates', 'data', 'properties', 'items', 'items'],
    WorkflowTemplateList: ['listWorkflowTemplates', 'data'],
  },
  'run-records': {
    RunInput: ['runWorkflow', 'body'],
    RunStatus: ['getWorkflowRun', 'data', 'properties', 'status'],
    SubmittedRun: ['runWorkflow', 'data'],
    NodeError: ['getWorkflowRun', 'data', 'properties', 'nodeErrors', 'items'],
    NodeStatus: ['getWorkflowRunNode', 'data', 'properties', 'status'],
    RunNode: ['getWorkflowRun', 'data', 'properties', 'nodes', 'items'],
    RunSummary: ['listWorkflowRuns', 'data', 'properties', 'items', 'items'],
    RunPage: ['listWorkflowRuns', 'data'],
    Run: ['getWorkflowRun', 'data'],
    RunNodeDetail: ['getWorkflowRunNode', 'data'],
    Cancellation: ['cancelWorkflowRun', 'data'],
    RetryRequest: ['retryWorkflowRun', 'body'],
  },
}

type Described = Pick<Operation<never>, 'id' | 'body' | 'success'>

/** The schema at the end of a path; throws if an operation has changed and it leads nowhere. */
export function schemaAt(
  operations: readonly Described[],
  name: string,
  [operationId, side, ...members]: RecordPath,
): object {
  const operation = operations.find(({ id }) => id === operationId)
  const data = Object.values(operation?.success ?? {})[0]?.data
  let found: unknown = side === 'body' ? operation?.body : data
  for (const member of members) found = (found as Record<string, unknown> | undefined)?.[member]
  if (!found) throw new Error(`${name}: ${operationId} has no ${[side, ...members].join('.')}`)
  return found as object
}
