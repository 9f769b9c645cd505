// The events that this server sends (docs/webhooks.md), for clients that receive them.
import { runWebhook } from '#core/run-webhook.ts'
import { waitingEvent, waitingType, withAddress } from '#core/waiting-event.ts'
import type { Refer } from './components.ts'

const header = (name: string, description: string, schema: object = { type: 'string' }) => ({
  name,
  in: 'header',
  required: true,
  schema,
  description,
})

const events = ['COMPLETED', 'FAILED', 'CANCELLED'] as const
const example = runWebhook(
  {
    runId: '01a1de12-3561-7000-8000-072916837558',
    accountId: '',
    workflowId: 7,
    status: 'COMPLETED',
    outputs: { headline: 'Autumn by the sea' },
    nodeErrors: [],
    metadata: { order: 42 },
    cost: { amount: 0.0042, currency: 'USD' },
    createdAtMs: Date.UTC(2026, 8, 10, 1, 46, 30),
    completedAtMs: Date.UTC(2026, 8, 10, 1, 46, 40),
    inFlightTaskMayComplete: false,
    callbackUrl: null,
  },
  'https://atelier.example/api/ai-tools/v1/workflow-runs/01a1de12-3561-7000-8000-072916837558',
)

/** `run` is the schema of a run, some of whose members the event shares. */
export function webhookEvent(run: { properties: Record<string, object> }, refer: Refer) {
  const member = (name: string) => refer(run.properties[name] ?? {})
  return {
    type: 'object',
    description: 'Sent once a run with a callbackUrl has ended.',
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: {
        type: 'string',
        enum: events.map((status) => `workflow.run.${status.toLowerCase()}`),
      },
      timestamp: member('createdAt'),
      data: {
        type: 'object',
        required: ['runId', 'workflowId', 'status', 'metadata', 'cost', 'createdAt', 'runUrl'],
        properties: {
          runId: member('runId'),
          workflowId: member('workflowId'),
          status: { type: 'string', enum: events },
          outputs: member('outputs'),
          nodeErrors: member('nodeErrors'),
          truncated: {
            type: 'boolean',
            const: true,
            description: 'The event was too large for outputs and nodeErrors: read the run.',
          },
          metadata: member('metadata'),
          cost: member('cost'),
          createdAt: member('createdAt'),
          completedAt: member('createdAt'),
          inFlightTaskMayComplete: member('inFlightTaskMayComplete'),
          runUrl: { type: 'string', format: 'uri', description: 'Where to read the run.' },
        },
      },
    },
    examples: [JSON.parse(example.body)],
  }
}

const waitingExample = waitingEvent({
  ...{ runId: '01a1de12-3561-7000-8000-072916837558', workflowId: 7, metadata: { order: 42 } },
  ...{ waitId: '01a1de12-3561-7000-8000-072916837559', nodeId: 'ask', path: 'ask' },
  ...{ kind: 'APPROVAL', title: 'Send this letter?', description: null, hasAddress: true },
  sinceMs: Date.UTC(2026, 8, 10, 1, 46, 40),
  expiresAtMs: Date.UTC(2026, 8, 17, 1, 46, 40),
  runUrl: JSON.parse(example.body).data.runUrl,
})

/** `wait` is the schema of what a run waits for, whose members the event has. */
export function waitingWebhookEvent(
  run: { properties: Record<string, object> },
  wait: { properties: Record<string, object> },
  refer: Refer,
) {
  const of = (record: { properties: Record<string, object> }, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, refer(record.properties[name] ?? {})]))
  const asked = ['waitId', 'nodeId', 'path', 'kind', 'title', 'since', 'expiresAt']
  return {
    type: 'object',
    description:
      'Sent when a run that was started with callbackEvents waits for a person or a message.',
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { type: 'string', const: waitingType },
      timestamp: refer(run.properties.createdAt ?? {}),
      data: {
        type: 'object',
        required: ['runId', 'workflowId', 'status', ...asked, 'metadata', 'runUrl'],
        properties: {
          ...of(run, ['runId', 'workflowId', 'metadata']),
          status: { type: 'string', const: 'RUNNING' },
          ...of(wait, asked),
          description: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          runUrl: { type: 'string', format: 'uri', description: 'Where to read the run.' },
          url: {
            type: 'string',
            format: 'uri',
            description: 'Where it is answered: for callbacks, and for approvals with a link.',
          },
        },
      },
    },
    examples: [
      JSON.parse(
        withAddress(waitingExample, () => 'https://atelier.example/w/aVRva2VuT2ZPbmVXYWl0'),
      ),
    ],
  }
}

const delivered = (summary: string, schema: string) => ({
  tags: ['Webhooks'],
  summary,
  description: 'Signed as in Standard Webhooks. Delivered at least once.',
  security: [],
  parameters: [
    header('webhook-id', 'The same on every attempt: use it to recognise repetitions.'),
    header('webhook-timestamp', 'Seconds since 1970 of this attempt.', {
      type: 'string',
      pattern: '^[0-9]+$',
    }),
    header('webhook-signature', 'One or more signatures, separated by spaces: v1,…'),
  ],
  requestBody: {
    required: true,
    content: {
      'application/json': { schema: { $ref: `#/components/schemas/${schema}` } },
    },
  },
  responses: {
    '2XX': { description: 'Received. Answer within 15 seconds; the body is not used.' },
    410: { description: 'Not wanted any more: no further attempt is made.' },
  },
})

const runEnded = delivered('Tells the callbackUrl of a run that the run has ended', 'WebhookEvent')
const runWaiting = delivered(
  'Tells the callbackUrl of a run that the run waits, if it was started with callbackEvents',
  'WaitingWebhookEvent',
)

export const runWebhooks = {
  workflowRunEnded: { post: { operationId: 'workflowRunEnded', ...runEnded } },
  workflowRunWaiting: { post: { operationId: 'workflowRunWaiting', ...runWaiting } },
}

/**
 * The same as a callback of the operation that takes the address. Generators that look for records
 * only below the paths, such as oapi-codegen for Go, leave out one that just a webhook names, and
 * what they write does not compile.
 */
export const callbacksOf: Record<string, object | undefined> = {
  runWorkflow: {
    runEnded: { '{$request.body#/callbackUrl}': { post: runEnded } },
    runWaiting: { '{$request.body#/callbackUrl}': { post: runWaiting } },
  },
}
