import { Failure } from '#core/errors.ts'
import { waitScope } from '#core/scopes.ts'
import { type KnownWait, readWait } from '#store/tables/wait-answers.ts'
import { type Answer, answer } from '../../operation.ts'
import { type Context, defineOperation, type Services } from '../context.ts'
import { latenessRead, personOf, readAnswer, refusalsOf, urlOf } from './known-waits.ts'
import { toHead, Wait, waitParams } from './wait-record.ts'

export const getWait = defineOperation({
  id: 'getWait',
  route: 'GET /workflow-runs/{runId}/waits/{waitId}',
  summary: 'Read what a run waits for, and the answer',
  scope: 'runs:read',
  params: waitParams,
  success: { 200: { description: 'The wait', data: Wait } },
  errors: ['WAIT_NOT_FOUND', 'RECORD_NOT_FOUND'],
  handle: (context, { params }) => showWait(context, params),
})

/** Also what the console's own operation does, for a signed-in person. */
export async function showWait(
  context: Context,
  { runId, waitId }: { runId: string; waitId: string },
): Promise<Answer> {
  const { services, principal } = context
  const row = await readWait(services.db, principal.accountId, runId, waitId)
  if (!row) throw new Failure('WAIT_NOT_FOUND')
  if (row.status !== 'OPEN') await services.db.synced()
  const [refusal] = await refusalsOf(context, await personOf(context), [row])
  const mayDecide = refusal === null && principal.scopes.has(waitScope)
  const value = await services.runs.payloads.read(row.account_id, row.value)
  const { form = null, mayEdit = false, approvers = [], fourEyes = false } = row.details
  return answer({
    ...shownHead(services, row, mayDecide),
    value: await services.runs.refreshMedia(row.account_id, value),
    ...{ form, mayEdit, approvers, fourEyes },
    answer: await readAnswer(services, row),
  })
}

/** By a decision; the others end by themselves or by a message. */
export const isAnswerable = (wait: KnownWait): boolean =>
  wait.kind === 'APPROVAL' && latenessRead(wait) === null

/** Whoever has the address can answer, so it is shown only to those who may decide themselves. */
export const shownHead = (services: Services, row: KnownWait, mayDecide: boolean) =>
  toHead(row, {
    mayAnswer: mayDecide && isAnswerable(row),
    url: mayDecide ? urlOf(services, row) : null,
  })
