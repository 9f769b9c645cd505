// Which operation to call next, and with which part of the answer.

type Link = { operationId: string; parameters: Record<string, string>; description: string }

const task: Record<string, Link> = {
  readTask: {
    operationId: 'getTask',
    parameters: { taskId: '$response.body#/data/taskId' },
    description: 'Read the task until its status is terminal.',
  },
}
const runId = { runId: '$response.body#/data/runId' }
const run: Record<string, Link> = {
  readRun: {
    operationId: 'getWorkflowRun',
    parameters: runId,
    description: 'Read the run until its status is terminal.',
  },
  cancelRun: {
    operationId: 'cancelWorkflowRun',
    parameters: runId,
    description: 'Ask the run to stop.',
  },
}
const workflowId = { workflowId: '$response.body#/data/workflowId' }
const workflow: Record<string, Link> = {
  readWorkflow: {
    operationId: 'getWorkflow',
    parameters: workflowId,
    description: 'Read the workflow with its graph.',
  },
  startRun: {
    operationId: 'runWorkflow',
    parameters: workflowId,
    description: 'Start a run of the workflow.',
  },
}

/** The links of an operation's successful answers. */
export const linksOf: Record<string, Record<string, Link> | undefined> = {
  generateImage: task,
  generateVideo: task,
  runWorkflow: run,
  retryWorkflowRun: run,
  createWorkflow: workflow,
  updateWorkflow: workflow,
}
