import { withoutQuery } from '#core/run-webhook.ts'
import { Type } from '#core/schema.ts'
import { readAccount, storeWebhookUrl } from '#store/tables/accounts.ts'
import { answer } from '../../operation.ts'
import { Closed, NamedRecord, Nullable } from '../../schemas.ts'
import { defineConsole, requireCaller } from '../context.ts'

const AccountWebhook = NamedRecord('AccountWebhook', {
  url: Nullable(
    Type.String({
      maxLength: 2_048,
      description:
        'Gets the alerts of budgets, and runs that wait for somebody. Null: nobody does.',
    }),
  ),
})

export const getAccountWebhook = defineConsole({
  id: 'getAccountWebhook',
  route: 'GET /webhook',
  summary: 'Shows the address that gets the events of the account',
  access: 'owner',
  takesKeys: true,
  success: { 200: { description: 'The address.', data: AccountWebhook } },
  async handle(context) {
    const { accountId } = requireCaller(context)
    const account = await readAccount(context.services.db, accountId)
    return answer({ url: account?.webhookUrl ?? null })
  },
})

export const setAccountWebhook = defineConsole({
  id: 'setAccountWebhook',
  route: 'PUT /webhook',
  summary: 'Sets the address that gets the events of the account, signed like every webhook',
  access: 'owner',
  takesKeys: true,
  body: Closed(AccountWebhook.properties),
  success: { 200: { description: 'The address.', data: AccountWebhook } },
  errors: ['CALLBACK_URL_REJECTED'],
  audit: {
    action: 'webhook.changed',
    target: ({ body }) => (body.url === null ? 'none' : withoutQuery(body.url)),
  },
  repeatable: true,
  async handle(context, { body }) {
    const { accountId } = requireCaller(context)
    const { db, api } = context.services
    const url = body.url === null ? null : await api.graphs.checkCallbackUrl(body.url)
    await db.transaction((tx) => storeWebhookUrl(tx, accountId, url))
    return answer({ url })
  },
})
