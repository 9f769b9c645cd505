import { toRfc3339 } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import { toAmount, toMicros } from '#core/money.ts'
import { type Static, Type } from '#core/schema.ts'
import { type Account, readAccount, updateAccountSettings } from '#store/tables/accounts.ts'
import { answer } from '../../operation.ts'
import { Amount, Closed, NamedRecord, Nullable, Timestamp, Uuid } from '../../schemas.ts'
import { defineConsole, requireSession } from '../context.ts'
import { Name } from '../fields.ts'

const SpendLimit = Nullable(
  Type.Number({
    ...Amount,
    maximum: 1_000_000_000,
    description: 'Per calendar month (UTC), in USD.',
  }),
)
const AccountRecord = NamedRecord('Account', {
  id: Uuid('Identifier of the account.'),
  name: Name,
  spendLimit: SpendLimit,
  createdAt: Timestamp,
})

const toRecord = (account: Account): Static<typeof AccountRecord> => ({
  id: account.id,
  name: account.name,
  spendLimit: account.spendLimitMicros === null ? null : toAmount(account.spendLimitMicros),
  createdAt: toRfc3339(account.createdAtMs),
})

const gone = () => new Failure('RECORD_NOT_FOUND', { message: 'There is no such account.' })

export const getAccount = defineConsole({
  id: 'getAccount',
  route: 'GET /account',
  summary: 'Shows the settings of the account',
  access: 'viewer',
  success: { 200: { description: 'The account.', data: AccountRecord } },
  async handle(context) {
    const { accountId } = requireSession(context)
    const account = await readAccount(context.services.db, accountId)
    if (!account) throw gone()
    return answer(toRecord(account))
  },
})

export const updateAccount = defineConsole({
  id: 'updateAccount',
  route: 'PUT /account',
  summary: 'Changes the settings of the account',
  access: 'owner',
  body: Closed({ name: Name, spendLimit: SpendLimit }),
  success: { 200: { description: 'The account.', data: AccountRecord } },
  audit: {
    action: 'account.changed',
    target: ({ body }) =>
      `name ${body.name.trim()}, spend limit ${body.spendLimit === null ? 'none' : `${body.spendLimit} USD`}`,
  },
  repeatable: true,
  async handle(context, { body }) {
    const { accountId } = requireSession(context)
    const { db, verifier } = context.services
    const account = await updateAccountSettings(db, accountId, {
      name: body.name.trim(),
      spendLimitMicros: body.spendLimit === null ? null : toMicros(body.spendLimit),
    })
    if (!account) throw gone()
    verifier.forgetAccount(accountId)
    return answer(toRecord(account))
  },
})
