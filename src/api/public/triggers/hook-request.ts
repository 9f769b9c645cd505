// What a webhook brought, as expressions see it. Nothing is parsed here before the request is
// verified.
import { hash, randomUUID } from 'node:crypto'
import { Failure } from '#core/errors.ts'
import { isRecord } from '#core/record.ts'
import type { TriggerSettings } from '#core/triggers/trigger.ts'
import type { Services } from '../context.ts'

export type HookRequest = {
  body: Buffer
  headers: Readonly<Record<string, string | string[] | undefined>>
  query: Readonly<Record<string, unknown>>
  /** Throws INVALID_JSON. */
  parseJson(body: Buffer): unknown
}

/** What `mapping` and `dedupe` are evaluated on. */
export type HookInput = {
  body: unknown
  headers: Record<string, string>
  query: Record<string, unknown>
}

// They prove who sent the request, or who the browser is: no expression needs them.
const hidden = new Set(['authorization', 'cookie', 'proxy-authorization'])

export function readHook({ body, headers, query, parseJson }: HookRequest): HookInput {
  const shown = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || hidden.has(name) ? [] : [[name, String(value)] as const],
  )
  const type =
    String(headers['content-type'] ?? '')
      .split(';')[0]
      ?.trim()
      .toLowerCase() ?? ''
  return {
    body: readBody(body, type, parseJson),
    headers: Object.fromEntries(shown),
    query: { ...query },
  }
}

function readBody(body: Buffer, type: string, parseJson: HookRequest['parseJson']): unknown {
  if (body.length === 0) return null
  if (type === 'application/x-www-form-urlencoded') {
    return readForm(new URLSearchParams(body.toString()))
  }
  if (type === 'application/json' || type.endsWith('+json') || type === '') return parseJson(body)
  return body.toString()
}

/** A field that is repeated is the list of its values, as in a query. */
function readForm(sent: URLSearchParams): Record<string, string | string[]> {
  const fields = new Map<string, string | string[]>()
  for (const [name, value] of sent) {
    const before = fields.get(name)
    if (Array.isArray(before)) before.push(value)
    else fields.set(name, before === undefined ? value : [before, value])
  }
  return Object.fromEntries(fields)
}

/** The id that the sender gives a delivery, which is the same if it is sent again. */
function deliveryId({ verify }: TriggerSettings, { body, headers }: HookInput): unknown {
  const member = (name: string) => (isRecord(body) ? body[name] : undefined)
  switch (verify?.method) {
    case 'github':
      return headers['x-github-delivery']
    case 'stripe':
      return member('id')
    case 'slack':
      return member('event_id') ?? member('trigger_id')
    default:
      return headers['webhook-id'] ?? headers['idempotency-key']
  }
}

/** Equal for requests that are the same; a new one each time if nothing identifies them. */
export async function occurrenceOf(
  services: Services,
  { accountId, settings }: { accountId: string; settings: TriggerSettings },
  input: HookInput,
): Promise<string> {
  const { dedupe } = settings
  let value: unknown
  if (dedupe === undefined) value = deliveryId(settings, input)
  else if ('header' in dedupe) value = input.headers[dedupe.header.toLowerCase()]
  else value = await evaluate(services, accountId, dedupe.expression, input)
  const isId = value !== undefined && value !== null && value !== ''
  return isId ? `hook:${hash('sha256', JSON.stringify(value))}` : unidentified()
}

/** Of a request that is like no other. */
export const unidentified = () => `hook:${randomUUID()}`

/** The inputs that a request brings. Throws INPUT_INVALID if they are none. */
export async function mapHook(
  services: Services,
  { accountId, settings }: { accountId: string; settings: Pick<TriggerSettings, 'mapping'> },
  input: HookInput,
): Promise<Record<string, unknown>> {
  const { mapping } = settings
  const inputs =
    mapping === undefined ? input.body : await evaluate(services, accountId, mapping, input)
  if (isRecord(inputs)) return inputs as Record<string, unknown>
  if (mapping === undefined) return {}
  throw new Failure('INPUT_INVALID', { message: 'The mapping does not give an object of inputs.' })
}

async function evaluate(
  { graphs, clock }: Services,
  owner: string,
  expression: string,
  input: HookInput,
): Promise<unknown> {
  const nowMs = clock.nowMs()
  const reply = await graphs.evaluate({ owner, expression, input, nowMs, seed: randomUUID() })
  if ('value' in reply) return reply.value
  const why = 'error' in reply ? reply.error : 'limit' in reply ? reply.limit : reply.tooDeep
  throw new Failure('INPUT_INVALID', { message: `The expression failed: ${why}` })
}
