// The inbox: what waits for a signed-in person. The rules are those of the public operations.
import { type KeyScope, waitScope } from '#core/scopes.ts'
import type { CallContext } from '../../operation.ts'
import type { Context } from '../../public/context.ts'
import { decide } from '../../public/waits/answer-wait.ts'
import { showWait } from '../../public/waits/get-wait.ts'
import { showWaits, WaitPage, waitsQuery } from '../../public/waits/list-waits.ts'
import { AnsweredWait, AnswerInput, Wait, waitParams } from '../../public/waits/wait-record.ts'
import { asApiCaller, type ConsoleContext, defineConsole } from '../context.ts'

/** People need no scope: the wait itself says who may answer it. */
function asPerson(context: ConsoleContext & CallContext): Context & CallContext {
  const caller = asApiCaller(context)
  const scopes = new Set<KeyScope>([...caller.principal.scopes, waitScope])
  return { ...caller, ipAddress: context.ipAddress, principal: { ...caller.principal, scopes } }
}

export const listWaits = defineConsole({
  id: 'listWaits',
  route: 'GET /waits',
  summary: 'Lists what the runs of the account wait for, oldest first',
  access: 'viewer',
  query: waitsQuery,
  success: { 200: { description: 'Open waits.', data: WaitPage } },
  handle: (context, { query }) => showWaits(asPerson(context), query),
})

export const getWait = defineConsole({
  id: 'getWait',
  route: 'GET /runs/{runId}/waits/{waitId}',
  summary: 'Reads what a run waits for, and the answer',
  access: 'viewer',
  params: waitParams,
  success: { 200: { description: 'The wait.', data: Wait } },
  errors: ['WAIT_NOT_FOUND', 'RECORD_NOT_FOUND'],
  handle: (context, { params }) => showWait(asPerson(context), params),
})

export const answerWait = defineConsole({
  id: 'answerWait',
  route: 'POST /runs/{runId}/waits/{waitId}',
  summary: 'Approves or rejects what a run waits for',
  access: 'viewer',
  params: waitParams,
  bodyLimitBytes: 2 * 1024 * 1024,
  bodyFailure: 'ANSWER_INVALID',
  body: AnswerInput,
  success: { 200: { description: 'The stored answer.', data: AnsweredWait } },
  errors: [
    'WAIT_NOT_FOUND',
    'NOT_AN_APPROVER',
    'WAIT_ALREADY_ANSWERED',
    'WAIT_EXPIRED',
    'WAIT_CANCELLED',
    'ANSWER_INVALID',
  ],
  audit: { byItself: ['wait.answered'] },
  repeatable: true,
  ifUnknown: 'Send the same answer again: if it was stored, that is a replay.',
  handle: (context, { params, body }) => decide(asPerson(context), params, body),
})
