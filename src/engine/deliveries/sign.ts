import { createHmac } from 'node:crypto'

type Message = {
  id: string
  /** The time of the attempt in whole seconds; receivers refuse old ones. */
  timestampSeconds: number
  body: string
}

/** The headers of Standard Webhooks, one signature per secret (standardwebhooks.com, 1.0.0). */
export function signedHeaders(
  { id, timestampSeconds, body }: Message,
  secrets: readonly Uint8Array[],
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', secret).update(`${id}.${timestampSeconds}.${body}`)
    return `v1,${hmac.digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  }
}
