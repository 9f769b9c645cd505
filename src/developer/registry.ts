// What a signed-in person may do in the developer area, by session cookie alone.
// Promises: nothing unsafe is done for a page of another origin, whatever the operation.
// Never reads a bearer credential.
import { Failure } from '#core/errors.ts'
import type { Operation } from '#operations/operation.ts'
import { getAccount, updateAccount } from './account.ts'
import { createKey, listKeys, revokeKey, updateKey } from './api-keys.ts'
import { listCalls } from './calls.ts'
import { changePassword } from './change-password.ts'
import { checkWorkflow } from './check-workflow.ts'
import type { DeveloperContext } from './context.ts'
import { getDelivery, listDeliveries, redeliverWebhook } from './deliveries.ts'
import { deleteDraft, getDraft, listDrafts, putDraft } from './drafts.ts'
import { mintToken } from './mint-token.ts'
import { listNodeTypes } from './node-types.ts'
import { finishOidc, startOidc } from './oidc-sign-in.ts'
import { getRunNode } from './run-node.ts'
import { getRunView } from './run-view.ts'
import { searchAccountRuns } from './runs.ts'
import { getServer } from './server.ts'
import { getSession } from './session.ts'
import { setUp } from './set-up.ts'
import { signIn, signOut } from './sign-in.ts'
import { signUp } from './sign-up.ts'
import { getSpend } from './spend.ts'
import { getSpendLimits } from './spend-limits.ts'
import { getAccountTask, searchAccountTasks } from './tasks.ts'
import { getTemplates } from './templates.ts'
import { testWebhook } from './test-webhook.ts'
import { createUpload } from './uploads.ts'
import { getUsage } from './usage.ts'
import { getWebhookSecret, rotateSecret } from './webhook-secret.ts'
import {
  getWorkflowVersion,
  listWorkflowVersions,
  noteWorkflowVersion,
} from './workflow-versions.ts'

type DeveloperOperation = Operation<DeveloperContext>

const withOriginCheck = (operation: DeveloperOperation): DeveloperOperation =>
  operation.method === 'GET'
    ? operation
    : {
        ...operation,
        handle(context, input) {
          if (!context.isSameOrigin) throw new Failure('ORIGIN_NOT_ALLOWED')
          return operation.handle(context, input)
        },
      }

export const developerOperations: readonly DeveloperOperation[] = [
  getSession,
  signUp,
  signIn,
  signOut,
  setUp,
  changePassword,
  startOidc,
  finishOidc,
  mintToken,
  listKeys,
  createKey,
  updateKey,
  revokeKey,
  getWebhookSecret,
  rotateSecret,
  listDeliveries,
  getDelivery,
  redeliverWebhook,
  testWebhook,
  getAccount,
  updateAccount,
  getSpend,
  getSpendLimits,
  getUsage,
  getServer,
  getTemplates,
  listNodeTypes,
  checkWorkflow,
  searchAccountTasks,
  getAccountTask,
  listCalls,
  listDrafts,
  getDraft,
  putDraft,
  deleteDraft,
  listWorkflowVersions,
  getWorkflowVersion,
  noteWorkflowVersion,
  searchAccountRuns,
  getRunView,
  getRunNode,
  createUpload,
].map(withOriginCheck)
