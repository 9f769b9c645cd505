// All operations of the public API, in the order of the reference.

import type { Operation } from '../operation.ts'
import { createChatCompletion } from './chat/create-chat-completion.ts'
import type { Context } from './context.ts'
import { listModels } from './models/list-models.ts'
import { cancelWorkflowRun } from './runs/cancel-workflow-run.ts'
import { getWorkflowRun } from './runs/get-workflow-run.ts'
import { getWorkflowRunNode } from './runs/get-workflow-run-node.ts'
import { listWorkflowRunItems } from './runs/list-workflow-run-items.ts'
import { listWorkflowRuns } from './runs/list-workflow-runs.ts'
import { retryWorkflowRun } from './runs/retry-workflow-run.ts'
import { runWorkflow } from './runs/run-workflow.ts'
import { listTools } from './skills/list-tools.ts'
import { skillOperations } from './skills/skill-operations.ts'
import { generateImage } from './tasks/generate-image.ts'
import { generateVideo } from './tasks/generate-video.ts'
import { getTask } from './tasks/get-task.ts'
import { listTasks } from './tasks/list-tasks.ts'
import { listWorkflowTemplates } from './templates/list-workflow-templates.ts'
import { createTrigger } from './triggers/create-trigger.ts'
import { deleteTrigger } from './triggers/delete-trigger.ts'
import { fireTrigger } from './triggers/fire-trigger.ts'
import {
  getTrigger,
  listFirings,
  listTriggers,
  listWorkflowTriggers,
} from './triggers/read-triggers.ts'
import { updateTrigger } from './triggers/update-trigger.ts'
import { answerWait } from './waits/answer-wait.ts'
import { getWait } from './waits/get-wait.ts'
import { listWaits } from './waits/list-waits.ts'
import { createWorkflow } from './workflows/create-workflow.ts'
import { deleteWorkflow } from './workflows/delete-workflow.ts'
import { estimateWorkflow } from './workflows/estimate-workflow.ts'
import { getWorkflow } from './workflows/get-workflow.ts'
import { getWorkflowSchema } from './workflows/get-workflow-schema.ts'
import { listWorkflows } from './workflows/list-workflows.ts'
import { updateWorkflow } from './workflows/update-workflow.ts'
import { validateWorkflow } from './workflows/validate-workflow.ts'

export const operations: readonly Operation<Context>[] = [
  listModels,
  createChatCompletion,
  generateImage,
  generateVideo,
  listTasks,
  getTask,
  listWorkflows,
  createWorkflow,
  validateWorkflow,
  getWorkflow,
  updateWorkflow,
  deleteWorkflow,
  getWorkflowSchema,
  estimateWorkflow,
  runWorkflow,
  listWorkflowRuns,
  getWorkflowRun,
  cancelWorkflowRun,
  retryWorkflowRun,
  getWorkflowRunNode,
  listWorkflowRunItems,
  listWaits,
  getWait,
  answerWait,
  listWorkflowTemplates,
  listTools,
  ...skillOperations,
  listTriggers,
  listWorkflowTriggers,
  createTrigger,
  getTrigger,
  updateTrigger,
  deleteTrigger,
  fireTrigger,
  listFirings,
]
