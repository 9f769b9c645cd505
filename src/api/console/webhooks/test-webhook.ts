import { toRfc3339 } from '#core/clock.ts'
import { withoutQuery } from '#core/run-webhook.ts'
import { Type } from '#core/schema.ts'
import { insertAuditEntry } from '#store/tables/audit-entries.ts'
import { answer } from '../../operation.ts'
import { Closed, NamedRecord, OneOf } from '../../schemas.ts'
import { entryBy } from '../audit/audit-entry.ts'
import { defineConsole, requireCaller } from '../context.ts'
import { DeliveryTry, toTry } from './delivery-try.ts'

const type = 'webhook.test'

export const testWebhook = defineConsole({
  id: 'testWebhook',
  route: 'POST /deliveries/test',
  summary: 'Sends one signed test event to an address and shows the answer',
  access: 'editor',
  takesKeys: true,
  body: Closed({ url: Type.String({ maxLength: 2_048 }) }),
  success: {
    200: {
      description:
        'The outcome. The event is signed like every other, but it is not listed as a delivery and not retried.',
      data: NamedRecord('TestedWebhook', {
        webhookId: Type.String({ description: 'The webhook-id header.' }),
        type: OneOf([type]),
        url: Type.String({ description: 'Without its query.' }),
        status: OneOf(['DELIVERED', 'FAILED']),
        payload: Type.Object({}, { description: 'The body that was sent.' }),
        tries: Type.Array(DeliveryTry, { minItems: 1, maxItems: 1 }),
      }),
    },
  },
  errors: ['CALLBACK_URL_REJECTED', 'RATE_LIMITED'],
  audit: { byItself: ['webhook.tested'] },
  repeatable: false,
  async handle(context, { body: { url } }) {
    const { accountId } = requireCaller(context)
    const { api, db, clock, random, sendWebhook, webhookTests } = context.services
    webhookTests.admit(accountId)
    await api.graphs.checkCallbackUrl(url)
    const webhookId = `msg_${Buffer.from(random(16)).toString('hex')}`
    const payload = {
      type,
      timestamp: toRfc3339(clock.nowMs()),
      data: { message: 'A test of this address, sent from the console.' },
    }
    // An address may hold a secret in its query. Recorded before the request leaves.
    await insertAuditEntry(db, entryBy(context, 'webhook.tested', withoutQuery(url)))
    const message = { accountId, id: webhookId, url, body: JSON.stringify(payload) }
    const { outcome, startedAtMs, endedAtMs } = await sendWebhook(message)
    const { statusCode, error, body } = outcome
    const tried = { status_code: statusCode, error, body, at: startedAtMs }
    return answer({
      webhookId,
      type,
      url: withoutQuery(url),
      status: error === null ? 'DELIVERED' : 'FAILED',
      payload,
      tries: [toTry({ ...tried, duration_ms: endedAtMs - startedAtMs }, url)],
    })
  },
})
