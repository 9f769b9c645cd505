import type { Run, RunWait } from './run-records.ts'

/** What is delivered to the `callbackUrl` of a run; `type` says which of them it is. */
export type RunEvent = RunEndedEvent | RunWaitingEvent

/** When the run ends. */
export type RunEndedEvent = {
  type: 'workflow.run.completed' | 'workflow.run.failed' | 'workflow.run.cancelled'
  timestamp: string
  data: Pick<
    Run,
    | 'runId'
    | 'workflowId'
    | 'status'
    | 'metadata'
    | 'cost'
    | 'createdAt'
    | 'completedAt'
    | 'inFlightTaskMayComplete'
  > & {
    /** The URL where the run can be read with the API key. */
    runUrl: string
    /** Absent, like `nodeErrors`, if `truncated` is true: then read the run itself. */
    outputs?: Run['outputs']
    nodeErrors?: Run['nodeErrors']
    /** The event would have been too large with `outputs` and `nodeErrors`. */
    truncated?: true
  }
}

/** When the run waits for a person or a message, if it was started with `callbackEvents`. */
export type RunWaitingEvent = {
  type: 'workflow.run.waiting'
  timestamp: string
  data: Pick<Run, 'runId' | 'workflowId' | 'metadata'> &
    Omit<RunWait, 'url'> & {
      status: 'RUNNING'
      description: string | null
      runUrl: string
      /** Where it is answered: for callbacks, and for approvals with a link. */
      url?: string
      outputs?: undefined
      nodeErrors?: undefined
      truncated?: undefined
    }
}

/** The delivery is not genuine, not recent or not readable. */
export class WebhookError extends Error {
  readonly reason: 'HEADERS' | 'TIMESTAMP' | 'SIGNATURE' | 'BODY'

  constructor(reason: WebhookError['reason'], message: string) {
    super(message)
    this.name = 'WebhookError'
    this.reason = reason
  }
}

type HeaderSource = Headers | Record<string, string | readonly string[] | undefined>

// A genuine delivery has at most two signatures, during a rotation of the secret. The limit bounds
// the work that a forged delivery can cause.
const maxSignatures = 8

/**
 * Verifies a delivery (Standard Webhooks) and resolves with its event, or rejects with a
 * WebhookError. `rawBody` must be the body as received, before any parsing; `secrets` is one
 * `whsec_…` secret or several. The timestamp may be five minutes off, or `toleranceSeconds`. `id`
 * is the same for every delivery of an event: remember it and ignore repeated deliveries.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: HeaderSource,
  secrets: string | readonly string[],
  options: { toleranceSeconds?: number; nowMs?: number } = {},
): Promise<{ id: string; event: RunEvent }> {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')
  if (!id || !timestamp || !signatures) {
    throw new WebhookError('HEADERS', 'A webhook- header is missing.')
  }
  const { toleranceSeconds = 300, nowMs = Date.now() } = options
  const isNumber = /^\d{1,12}$/.test(timestamp)
  if (!isNumber || Math.abs(nowMs / 1000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookError('TIMESTAMP', 'The delivery is too old, too new, or not dated.')
  }
  const body = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : rawBody
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body)
  const given = signatures.split(' ').slice(0, maxSignatures)
  if (!(await isSigned(signed, given, typeof secrets === 'string' ? [secrets] : secrets))) {
    throw new WebhookError('SIGNATURE', 'No signature matches any of the given secrets.')
  }
  try {
    // The signature proves that the server sent it, so its shape is trusted.
    return { id, event: JSON.parse(new TextDecoder().decode(body)) as RunEvent }
  } catch {
    throw new WebhookError('BODY', 'The body is not JSON.')
  }
}

async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: readonly string[],
  secrets: readonly string[],
): Promise<boolean> {
  for (const secret of secrets) {
    const key = await crypto.subtle.importKey(
      'raw',
      secretBytes(secret),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['verify'],
    )
    for (const one of signatures) {
      const [version, text = ''] = one.split(',')
      const signature = version === 'v1' ? fromBase64(text) : undefined
      // `verify` compares in constant time, which code in JavaScript could not guarantee.
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return true
    }
  }
  return false
}

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(secret.trim().replace(/^whsec_/, ''))
  // With an empty secret, anyone could sign.
  if (!bytes?.length) throw new TypeError('a webhook secret is whsec_ followed by base64')
  return bytes
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    return undefined
  }
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + tail.length)
  whole.set(head)
  whole.set(tail, head.length)
  return whole
}

/** In a plain object, a header that was sent more than once counts as missing. */
function headerOf(headers: HeaderSource, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === 'string' ? found : found?.length === 1 ? found[0] : undefined
}
