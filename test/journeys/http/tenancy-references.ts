// Where each operation takes the identifier or the name of a record, and what else a call needs.
import type { ConsoleOperation } from '#api/console/context.ts'
import { consoleOperations } from '#api/console/registry.ts'
import { operations } from '#api/public/registry.ts'
import { echo } from './tenancy-records.ts'

export type Id = string | number
export type Operation = (typeof operations)[number] | ConsoleOperation
type Place = 'path' | 'query' | 'body'
export type Reference = { operation: Operation; place: Place; name: string }

export const noUuid = '00000000-0000-7000-8000-000000000000'

/** What never existed, by the name of the parameter; a UUID for all others. */
export const missing: Record<string, Id> = {
  workflowId: 4_000_000_000,
  id: 4_000_000_000,
  name: 'no-such-name',
  sessionId: 'AAAAAAAAAAAAAAAA',
}
/** Parameters that name a part of the record in front of them. */
export const parts: Record<string, string> = { nodeId: 'in', version: '1' }

export const bearer = { kind: 'bearer', secret: 'stolen', hosts: ['thief.example.com'] }
const key = { name: 'stolen', scopes: ['chat:write'], limits: {}, expiresAt: null }
/** Bodies with which the owner's own call would change something. */
export const bodies: Record<string, object> = {
  createTrigger: { name: 'stolen', kind: 'SCHEDULE', everySeconds: 60, inputs: { in: 'x' } },
  updateTrigger: { name: 'stolen' },
  tryTrigger: { sample: { body: {} } },
  listenTrigger: {},
  validateWorkflow: { data: echo },
  updateWorkflow: { name: 'stolen', data: echo },
  estimateWorkflow: { inputs: { in: 'x' } },
  runWorkflow: { inputs: { in: 'x' } },
  cancelWorkflowRun: { reason: 'not yours' },
  retryWorkflowRun: {},
  answerWait: { decision: 'approve' },
  updateMember: { role: 'viewer', disabled: true },
  updateServerAccount: { disabled: true },
  updateApiKey: key,
  replaceCredential: bearer,
  setRoute: { candidates: [{ model: 'demo-text' }] },
  checkWorkflow: { data: echo },
  putDraft: { name: 'stolen', data: {} },
  noteWorkflowVersion: { note: 'stolen' },
  createRecoveryLink: {},
  exportAudit: {},
  settleCall: { cost: 0 },
}
export const queries: Record<string, Record<string, string>> = {
  getRunNode: { path: 'in' },
  listRunItems: { path: 'in' },
  listWorkflowRunItems: { path: 'in' },
  'listCalls keyId': { from: '2020-01-01T00:00:00Z' },
  'listCalls workflowId': { from: '2020-01-01T00:00:00Z' },
}
/** Without it a draft of the same identifier would be created, which each account may have. */
export const headers: Record<string, Record<string, string>> = { putDraft: { 'if-match': '"v1"' } }
export const statuses: Record<string, number> = {
  putDraft: 412,
  exportAudit: 200,
  // Tells only whether the graph is sound.
  validateWorkflow: 200,
  // Makes one of the stranger's own. It is asked after deleteRoute, which finds none yet.
  setRoute: 200,
  // For the operator of the server alone, whatever account it names.
  updateServerAccount: 403,
}
/** Members of a body that refer to nothing: they are ignored, or kept as they were sent. */
const unread = new Set([
  ...['createWorkflow', 'updateWorkflow'].flatMap((id) => [`${id} id`, `${id} workflowId`]),
  'putDraft workflowId',
  ...['createTrigger', 'updateTrigger'].flatMap((id) => [`${id} triggerId`, `${id} workflowId`]),
])

export const isName = (name: string) => /(^id|Id)$/.test(name) || name === 'q'
export const namesIn = (schema: object | undefined): string[] =>
  Object.keys((schema as { properties?: object } | undefined)?.properties ?? {})

const referencesOf = (operation: Operation): Reference[] => [
  ...namesIn(operation.params)
    .filter((name) => !(name in parts))
    .map((name) => ({ operation, place: 'path' as const, name })),
  ...namesIn(operation.query)
    .filter(isName)
    .map((name) => ({ operation, place: 'query' as const, name })),
  ...namesIn(operation.body)
    .filter((name) => isName(name) && !unread.has(`${operation.id} ${name}`))
    .map((name) => ({ operation, place: 'body' as const, name })),
]

const everyOperation: Operation[] = [...operations, ...consoleOperations]
/** One list for each operation that takes any. */
export const referencesByOperation = everyOperation
  .map(referencesOf)
  .filter(({ length }) => length > 0)
