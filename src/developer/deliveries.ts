import { type Static, Type } from 'typebox'
import { toRfc3339 } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import { withoutQuery } from '#core/run-webhook.ts'
import { answer } from '#operations/operation.ts'
import {
  Closed,
  Nullable,
  OneOf,
  pageOf,
  pageQuery,
  Timestamp,
  toPage,
  Uuid,
} from '#operations/schemas.ts'
import {
  type DeliveryRow,
  redeliver,
  listDeliveries as selectDeliveries,
} from '#store/deliveries.ts'
import { defineDeveloper, requireSession } from './context.ts'

const Delivery = Closed({
  id: Uuid('Identifier of the delivery.'),
  webhookId: Type.String({
    description: 'The webhook-id header, the same for every delivery of an event.',
  }),
  runId: Uuid('The run that ended.'),
  type: OneOf(['workflow.run.completed', 'workflow.run.failed', 'workflow.run.cancelled']),
  url: Type.String({ description: 'Without its query.' }),
  status: OneOf(['PENDING', 'DELIVERED', 'FAILED', 'DISABLED']),
  attempts: Type.Integer({ minimum: 0 }),
  lastStatusCode: Nullable(Type.Integer()),
  lastError: Nullable(Type.String()),
  createdAt: Timestamp,
  nextAttemptAt: Nullable(Timestamp),
  completedAt: Nullable(Timestamp),
})

const timeOrNull = (ms: number | null) => (ms === null ? null : toRfc3339(ms))

const toRecord = (row: DeliveryRow): Static<typeof Delivery> => ({
  id: row.id,
  webhookId: row.webhook_id,
  runId: row.run_id,
  type: row.type,
  url: withoutQuery(row.url),
  status: row.status,
  attempts: row.attempts,
  lastStatusCode: row.last_status_code,
  lastError: row.last_error,
  createdAt: toRfc3339(row.created_at),
  nextAttemptAt: timeOrNull(row.retry_at),
  completedAt: timeOrNull(row.completed_at),
})

export const listDeliveries = defineDeveloper({
  id: 'listDeliveries',
  route: 'GET /deliveries',
  summary: 'Lists the webhook deliveries of the account, newest first',
  scope: 'public',
  query: pageQuery(50),
  success: { 200: { description: 'A page of deliveries.', data: pageOf(Delivery) } },
  errors: ['AUTH_REQUIRED'],
  repeatable: true,
  async handle(context, { query: { page = 1, size = 50 } }) {
    const { accountId } = requireSession(context)
    const { rows, total } = await selectDeliveries(context.services.db, accountId, { page, size })
    return answer(toPage(rows.map(toRecord), page, size, total))
  },
})

export const redeliverWebhook = defineDeveloper({
  id: 'redeliverWebhook',
  route: 'POST /deliveries/{deliveryId}/redeliver',
  summary: 'Sends a webhook again, now; a delivery still waiting for its next attempt is tried now',
  scope: 'public',
  params: Type.Object({ deliveryId: Uuid('Identifier of the delivery.') }),
  success: { 200: { description: 'The delivery that is under way.', data: Delivery } },
  errors: ['AUTH_REQUIRED', 'ROUTE_NOT_FOUND', 'ORIGIN_NOT_ALLOWED'],
  repeatable: true,
  async handle(context, { params }) {
    const { accountId } = requireSession(context)
    const { db, clock } = context.services
    const row = await redeliver(db, accountId, params.deliveryId.toLowerCase(), clock.nowMs())
    if (!row) throw new Failure('ROUTE_NOT_FOUND', { message: 'There is no such delivery.' })
    return answer(toRecord(row))
  },
})
