import { Failure } from '#core/errors.ts'
import { currency, money, toMicros } from '#core/money.ts'
import { Type } from '#core/schema.ts'
import { insertAuditEntry } from '#store/tables/audit-entries.ts'
import { type CallRow, findUnsettled } from '#store/tables/calls.ts'
import { settleUnknown } from '#store/tables/ledger.ts'
import { answer } from '../../operation.ts'
import { Amount, Closed } from '../../schemas.ts'
import { entryBy } from '../audit/audit-entry.ts'
import { assertUnlimited } from '../budgets/own-limit.ts'
import { defineConsole, requireCaller } from '../context.ts'
import { Call, toCall } from './call-record.ts'

/** The identifier of a chat, or of a task with the number of the attempt. */
const callId = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(:[1-9][0-9]{0,3})?$'

export const settleCall = defineConsole({
  id: 'settleCall',
  route: 'POST /calls/{callId}/settle',
  summary: 'Says what a call did cost whose outcome is unknown',
  access: 'owner',
  takesKeys: true,
  params: Type.Object({
    callId: Type.String({
      pattern: callId,
      description: 'The call, as the list of calls names it.',
    }),
  }),
  body: Closed({
    cost: Type.Number({
      ...Amount,
      maximum: 1_000_000,
      description: `What the provider billed, in ${currency}; 0 if it billed nothing.`,
    }),
  }),
  success: { 200: { description: 'The call as it is counted now.', data: Call } },
  errors: ['CALL_NOT_FOUND'],
  audit: { byItself: ['call.settled'] },
  repeatable: true,
  async handle(context, { params: { callId: attempt }, body }) {
    const { accountId } = requireCaller(context)
    assertUnlimited(context, 'say what calls did cost')
    const costMicros = toMicros(body.cost)
    const row = await context.services.db.transaction(async (tx): Promise<CallRow | null> => {
      const found = await findUnsettled(tx, accountId, attempt)
      if (!found || !(await settleUnknown(tx, accountId, { attempt, costMicros }))) return null
      const before = found.cost_micros === null ? 'unknown' : amount(found.cost_micros)
      const change = `${attempt}: ${before} to ${amount(costMicros)} ${currency}`
      await insertAuditEntry(tx, entryBy(context, 'call.settled', change))
      return { ...found, cost_micros: costMicros, remark: 'SETTLED' }
    })
    if (!row) throw new Failure('CALL_NOT_FOUND')
    return answer(toCall(row))
  },
})

const amount = (micros: number) => money(micros).amount
