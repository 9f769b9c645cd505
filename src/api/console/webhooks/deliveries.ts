import { toRfc3339 } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import { hideQuery, withoutQuery } from '#core/run-webhook.ts'
import { type Static, Type } from '#core/schema.ts'
import {
  type DeliveryRow,
  findDelivery,
  noRun,
  redeliver,
  listDeliveries as selectDeliveries,
} from '#store/tables/deliveries.ts'
import { triesOf } from '#store/tables/delivery-tries.ts'
import { answer } from '../../operation.ts'
import { NamedRecord, Nullable, OneOf, Timestamp, Uuid } from '../../schemas.ts'
import { defineConsole, requireCaller } from '../context.ts'
import { cursorsOf, listOf, listQuery } from '../cursor.ts'
import { DeliveryTry, toTry } from './delivery-try.ts'

const DeliveryState = OneOf(['PENDING', 'DELIVERED', 'FAILED', 'DISABLED'])

const Delivery = NamedRecord('Delivery', {
  id: Uuid('Identifier of the delivery.'),
  webhookId: Type.String({
    description: 'The webhook-id header, the same for every delivery of an event.',
  }),
  runId: Nullable(Uuid('The run that ended or waits; null for an event of the account.')),
  type: OneOf([
    'workflow.run.completed',
    'workflow.run.failed',
    'workflow.run.cancelled',
    'workflow.run.waiting',
    'budget.alert',
  ]),
  url: Type.String({ description: 'Without its query.' }),
  status: DeliveryState,
  attempts: Type.Integer({ minimum: 0 }),
  lastStatusCode: Nullable(Type.Integer()),
  lastError: Nullable(Type.String()),
  createdAt: Timestamp,
  nextAttemptAt: Nullable(Timestamp),
  completedAt: Nullable(Timestamp),
})

const noSuchDelivery = () =>
  new Failure('RECORD_NOT_FOUND', { message: 'There is no such delivery.' })

const timeOrNull = (ms: number | null) => (ms === null ? null : toRfc3339(ms))

const toRecord = (row: DeliveryRow): Static<typeof Delivery> => ({
  id: row.id,
  webhookId: row.webhook_id,
  runId: row.run_id === noRun ? null : row.run_id,
  type: row.type,
  url: withoutQuery(row.url),
  status: row.status,
  attempts: row.attempts,
  lastStatusCode: row.last_status_code,
  lastError: row.last_error && hideQuery(row.last_error, row.url),
  createdAt: toRfc3339(row.created_at),
  nextAttemptAt: timeOrNull(row.retry_at),
  completedAt: timeOrNull(row.completed_at),
})

export const listDeliveries = defineConsole({
  id: 'listDeliveries',
  route: 'GET /deliveries',
  summary: 'Lists the webhook deliveries of the account, newest first',
  access: 'viewer',
  takesKeys: true,
  query: Type.Object({
    status: Type.Optional(DeliveryState),
    runId: Type.Optional(Uuid('Deliveries about this run.')),
    ...listQuery,
  }),
  success: { 200: { description: 'Deliveries.', data: listOf(Delivery) } },
  async handle(context, { query: { cursor, size = 50, ...filters } }) {
    const { accountId } = requireCaller(context)
    const { db, secretBox } = context.services
    const cursors = cursorsOf<number>(secretBox, { list: 'deliveries', accountId, filters })
    const from = { before: cursors.read(cursor), limit: size }
    const { rows, next } = await selectDeliveries(db, accountId, filters, from)
    return answer({ items: rows.map(toRecord), next: cursors.write(next) })
  },
})

const DeliveryDetail = NamedRecord('DeliveryDetail', {
  ...Delivery.properties,
  payload: Type.Object({}, { description: 'The body that is sent.' }),
  tries: Type.Array(DeliveryTry, { description: 'Every attempt, oldest first.' }),
})

export const getDelivery = defineConsole({
  id: 'getDelivery',
  route: 'GET /deliveries/{deliveryId}',
  summary: 'Shows a delivery with its payload and every attempt',
  access: 'viewer',
  takesKeys: true,
  params: Type.Object({ deliveryId: Uuid('Identifier of the delivery.') }),
  success: { 200: { description: 'The delivery.', data: DeliveryDetail } },
  errors: ['RECORD_NOT_FOUND'],
  async handle(context, { params }) {
    const { accountId } = requireCaller(context)
    const { db } = context.services
    const row = await findDelivery(db, accountId, params.deliveryId)
    if (!row) throw noSuchDelivery()
    const tries = await triesOf(db, row.id)
    return answer({
      ...toRecord(row),
      payload: row.payload,
      tries: tries.map((one) => toTry(one, row.url)),
    })
  },
})

export const redeliverWebhook = defineConsole({
  id: 'redeliverWebhook',
  route: 'POST /deliveries/{deliveryId}/redeliver',
  summary: 'Delivers a webhook again now; a delivery waiting for its next attempt is tried now',
  access: 'editor',
  takesKeys: true,
  params: Type.Object({ deliveryId: Uuid('Identifier of the delivery.') }),
  success: { 200: { description: 'The delivery that is now in progress.', data: Delivery } },
  errors: ['RECORD_NOT_FOUND'],
  audit: {
    action: 'webhook.redelivered',
    target: ({ params }) => `delivery ${params.deliveryId}`,
  },
  repeatable: true,
  async handle(context, { params }) {
    const { accountId } = requireCaller(context)
    const { db, clock } = context.services
    const row = await redeliver(db, accountId, params.deliveryId.toLowerCase(), clock.nowMs())
    if (!row) throw noSuchDelivery()
    return answer(toRecord(row))
  },
})
