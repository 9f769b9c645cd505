import { toRfc3339 } from '#core/clock.ts'
import { invalid } from '#core/errors.ts'
import { Type } from '#core/schema.ts'
import { readSample, startListening } from '#store/tables/trigger-samples.ts'
import { answer } from '../../operation.ts'
import type { Context } from '../../public/context.ts'
import { requireTrigger } from '../../public/triggers/store-trigger.ts'
import { triggerParams } from '../../public/triggers/trigger-record.ts'
import { NamedRecord, Nullable, Timestamp } from '../../schemas.ts'
import { asApiCaller, defineConsole } from '../context.ts'

/** As long as it takes to go to the sender and press its button for a test. */
const listensMs = 120_000

const Sample = NamedRecord('TriggerSample', {
  listeningUntil: Nullable(Timestamp),
  at: Nullable(Timestamp),
  refused: Nullable(Type.String({ description: 'Why the request was not accepted.' })),
  body: Type.Unknown({ description: 'As the mapping sees it.' }),
  headers: Type.Object({}),
  query: Type.Object({}),
})

export const listenTrigger = defineConsole({
  id: 'listenTrigger',
  route: 'POST /workflows/{workflowId}/triggers/{triggerId}/listen',
  summary: 'Keeps the next request of a webhook as a sample, for two minutes',
  description: 'The request is treated as any other: it starts a run if the trigger is on.',
  access: 'editor',
  params: triggerParams,
  success: { 200: { description: 'Listening', data: Sample } },
  errors: ['TRIGGER_NOT_FOUND'],
  audit: { none: 'nothing of the trigger changes' },
  repeatable: true,
  async handle(developer, { params }) {
    const context = asApiCaller(developer)
    const { db, triggers } = context.services
    const { id, kind } = await requireTrigger(context, params)
    if (kind !== 'WEBHOOK') {
      const issue = { path: '/triggerId', rule: 'trigger', message: 'is no webhook' }
      throw invalid('INVALID_REQUEST', [issue], 'Only a webhook can be listened to.')
    }
    const { accountId } = context.principal
    await startListening(
      db,
      { accountId, workflowId: params.workflowId, id },
      (await triggers.now()) + listensMs,
    )
    return answer(await shown(context, params))
  },
})

export const readTriggerSample = defineConsole({
  id: 'readTriggerSample',
  route: 'GET /workflows/{workflowId}/triggers/{triggerId}/listen',
  summary: 'Shows the request that arrived while somebody listened',
  access: 'editor',
  params: triggerParams,
  success: { 200: { description: 'The sample', data: Sample } },
  errors: ['TRIGGER_NOT_FOUND'],
  handle: async (developer, { params }) => answer(await shown(asApiCaller(developer), params)),
})

async function shown(context: Context, params: { workflowId: number; triggerId: string }) {
  const { services, principal } = context
  const { id, listen_until: untilMs } = await requireTrigger(context, params)
  const place = { accountId: principal.accountId, workflowId: params.workflowId, id }
  const sample = await readSample(services.db, place)
  const isOver = untilMs === null || untilMs <= (await services.triggers.now())
  return {
    listeningUntil: isOver ? null : toRfc3339(untilMs),
    at: sample?.at ?? null,
    refused: sample?.refused ?? null,
    body: sample?.body ?? null,
    headers: sample?.headers ?? {},
    query: sample?.query ?? {},
  }
}
