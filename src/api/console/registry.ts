// The operations of the console API. Each states who may call it (`access`): callers are people
// with a session cookie or, where an operation takes keys (`takesKeys`), API keys. No operation
// changes anything for a page of another origin.
import { disconnectApp, listConnectedApps } from './apps/connected-apps.ts'
import { exportAudit, listAudit } from './audit/audit-log.ts'
import { listBudgets, raiseBudget, setBudget, setDefaultTag } from './budgets/budgets.ts'
import type { ConsoleOperation } from './context.ts'
import {
  createCredential,
  deleteCredential,
  listCredentials,
  replaceCredential,
} from './credentials/credentials.ts'
import { listKeyModels } from './credentials/key-models.ts'
import { guarded } from './guard.ts'
import { createKey, listKeys, revokeKey, updateKey } from './keys/api-keys.ts'
import { getLive } from './live/live.ts'
import { bulkTasks } from './media/bulk-tasks.ts'
import { estimateTask } from './media/estimate-task.ts'
import { countAccountTasks, getAccountTask, searchAccountTasks } from './media/tasks.ts'
import { createUpload } from './media/uploads.ts'
import { listModelCatalogue } from './models/model-catalogue.ts'
import { deleteRoute, listRoutes, setRoute } from './models/routes.ts'
import { listNotices, readNotices } from './notices/notices.ts'
import { listServerAccounts, updateServerAccount } from './operator/accounts.ts'
import { addServerModels, findServerModels } from './operator/discovery.ts'
import { previewRetry } from './runs/retry-preview.ts'
import { listRunItems } from './runs/run-items.ts'
import { getRunNode } from './runs/run-node.ts'
import { getRunPreviews } from './runs/run-previews.ts'
import { getRunView } from './runs/run-view.ts'
import { searchAccountRuns } from './runs/runs.ts'
import { searchEverything } from './search.ts'
import { endOtherSessions, endSession, listSessions } from './security/sessions.ts'
import {
  confirmTwoStep,
  endTwoStep,
  getTwoStep,
  renewRecoveryCodes,
  startTwoStep,
} from './security/two-step.ts'
import { getServer } from './server.ts'
import { getAccount, updateAccount } from './sign-in/account.ts'
import { changePassword } from './sign-in/change-password.ts'
import { mintToken } from './sign-in/mint-token.ts'
import { finishOidc, startOidc, startOidcWithLink } from './sign-in/oidc-sign-in.ts'
import { getSession } from './sign-in/session.ts'
import { setUp } from './sign-in/set-up.ts'
import { signIn, signOut } from './sign-in/sign-in.ts'
import { signUp } from './sign-in/sign-up.ts'
import { createInvitation, listInvitations, withdrawInvitation } from './team/invitations.ts'
import { acceptInvitation, showInvitation } from './team/join.ts'
import { listMembers, removeMember, resetMemberTwoStep, updateMember } from './team/members.ts'
import { createRecoveryLink, recover } from './team/recovery.ts'
import { listCalls } from './usage/calls.ts'
import { settleCall } from './usage/settle-call.ts'
import { getSpend } from './usage/spend.ts'
import { getSpendLimits } from './usage/spend-limits.ts'
import { listStandInPrices, setStandInPrice } from './usage/stand-in-prices.ts'
import { getUsage } from './usage/usage.ts'
import { getUsageEstimates } from './usage/usage-estimates.ts'
import { answerWait, getWait, listWaits } from './waits/waits.ts'
import { getAccountWebhook, setAccountWebhook } from './webhooks/account-webhook.ts'
import { getDelivery, listDeliveries, redeliverWebhook } from './webhooks/deliveries.ts'
import { testWebhook } from './webhooks/test-webhook.ts'
import { getWebhookSecret, rotateSecret } from './webhooks/webhook-secret.ts'
import { bulkWorkflows } from './workflows/bulk-workflows.ts'
import { checkWorkflow } from './workflows/check-workflow.ts'
import { deleteDraft, getDraft, listDrafts, putDraft } from './workflows/drafts.ts'
import { listenTrigger, readTriggerSample } from './workflows/listen-trigger.ts'
import { listNodeTypes } from './workflows/node-types.ts'
import { previewTrigger } from './workflows/preview-trigger.ts'
import { getTemplates } from './workflows/templates.ts'
import { tryTrigger } from './workflows/try-trigger.ts'
import { listAccountWorkflows, listWorkflowTags } from './workflows/workflow-list.ts'
import {
  getWorkflowVersion,
  listWorkflowVersions,
  noteWorkflowVersion,
} from './workflows/workflow-versions.ts'

export const consoleOperations: readonly ConsoleOperation[] = [
  getSession,
  signUp,
  signIn,
  signOut,
  setUp,
  changePassword,
  startOidc,
  startOidcWithLink,
  finishOidc,
  showInvitation,
  acceptInvitation,
  recover,
  mintToken,
  listSessions,
  endSession,
  endOtherSessions,
  getTwoStep,
  startTwoStep,
  confirmTwoStep,
  renewRecoveryCodes,
  endTwoStep,
  listMembers,
  updateMember,
  removeMember,
  resetMemberTwoStep,
  createInvitation,
  listInvitations,
  withdrawInvitation,
  createRecoveryLink,
  listServerAccounts,
  updateServerAccount,
  findServerModels,
  addServerModels,
  listKeys,
  createKey,
  updateKey,
  revokeKey,
  listCredentials,
  listKeyModels,
  listModelCatalogue,
  listRoutes,
  deleteRoute,
  setRoute,
  listBudgets,
  setBudget,
  raiseBudget,
  setDefaultTag,
  getAccountWebhook,
  setAccountWebhook,
  createCredential,
  replaceCredential,
  deleteCredential,
  listConnectedApps,
  disconnectApp,
  listAudit,
  exportAudit,
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
  listStandInPrices,
  setStandInPrice,
  getUsage,
  getUsageEstimates,
  getLive,
  listNotices,
  readNotices,
  getServer,
  getTemplates,
  listNodeTypes,
  listAccountWorkflows,
  listWorkflowTags,
  bulkWorkflows,
  searchEverything,
  checkWorkflow,
  searchAccountTasks,
  countAccountTasks,
  getAccountTask,
  bulkTasks,
  estimateTask,
  listCalls,
  settleCall,
  listDrafts,
  getDraft,
  putDraft,
  deleteDraft,
  listWorkflowVersions,
  getWorkflowVersion,
  noteWorkflowVersion,
  previewTrigger,
  tryTrigger,
  listenTrigger,
  readTriggerSample,
  searchAccountRuns,
  getRunView,
  getRunNode,
  listRunItems,
  getRunPreviews,
  previewRetry,
  listWaits,
  getWait,
  answerWait,
  createUpload,
].map(guarded)
