import { Failure } from '#core/errors.ts'
import type { Refusal } from '#core/wait-answers.ts'
import { readWait } from '#store/tables/wait-answers.ts'
import { type Answer, answer, type CallContext } from '../../operation.ts'
import { replayedHeader } from '../../schemas.ts'
import { type Context, defineOperation } from '../context.ts'
import { giveAnswer } from './give-answer.ts'
import { answererOf, latenessRead, personOf, readAnswer, refusalsOf } from './known-waits.ts'
import { AnsweredWait, AnswerInput, waitParams } from './wait-record.ts'

export const answerWait = defineOperation({
  id: 'answerWait',
  route: 'POST /workflow-runs/{runId}/waits/{waitId}',
  summary: 'Approve or reject what a run waits for',
  description:
    'Of several answers the first counts, and the run goes on with it. The same answer again, by the same caller, is a replay. The scope is never part of a credential by default.',
  scope: 'waits:answer',
  params: waitParams,
  bodyLimitBytes: 2 * 1024 * 1024,
  bodyFailure: 'ANSWER_INVALID',
  body: AnswerInput,
  success: {
    200: { description: 'The stored answer', data: AnsweredWait, headers: replayedHeader },
  },
  errors: [
    'WAIT_NOT_FOUND',
    'NOT_AN_APPROVER',
    'WAIT_ALREADY_ANSWERED',
    'WAIT_EXPIRED',
    'WAIT_CANCELLED',
    'ANSWER_INVALID',
  ],
  repeatable: true,
  ifUnknown: 'Send the same answer again: if it was stored, that is a replay.',
  handle: (context, { params, body }) => decide(context, params, body),
})

type Body = { decision: 'approve' | 'reject'; response?: object; value?: unknown; comment?: string }

/** Also what the console's own operation does, for a signed-in person. */
export async function decide(
  context: Context & Pick<CallContext, 'ipAddress'>,
  { runId, waitId }: { runId: string; waitId: string },
  body: Body,
): Promise<Answer> {
  const { services, principal, ipAddress = null } = context
  const wait = await readWait(services.db, principal.accountId, runId, waitId)
  if (!wait || wait.kind === 'DELAY') throw new Failure('WAIT_NOT_FOUND')
  if (wait.kind === 'CALLBACK') {
    const message = 'This waits for a message of a machine, not for a decision.'
    throw new Failure('ANSWER_INVALID', { message })
  }
  // Who may answer what nobody can answer any more is of no interest.
  const isOpen = latenessRead(wait) === null
  const [refusal] = isOpen ? await refusalsOf(context, await personOf(context), [wait]) : []
  if (refusal) throw notAllowed(refusal)
  const { userId, keyId } = principal
  const given = { answerer: answererOf(principal), userId, keyId, ipAddress }
  const { row, isReplay } = await giveAnswer(services, wait, body, given)
  const stored = await readAnswer(services, row)
  return answer(
    { waitId, runId, status: row.status, answer: stored, idempotentReplay: isReplay },
    isReplay ? { headers: { 'Idempotent-Replayed': 'true' } } : {},
  )
}

const reasons: Record<Refusal, string> = {
  'not-an-approver': 'You are not one of those who may answer this.',
  starter: 'You started this run, so somebody else must answer.',
}

const notAllowed = (refusal: Refusal) =>
  new Failure('NOT_AN_APPROVER', { message: reasons[refusal], details: { reason: refusal } })
