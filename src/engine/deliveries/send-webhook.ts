import type { Clock } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import type { Gateway } from '#outbound/gateway.ts'
import { OutboundRefused } from '#outbound/outbound-errors.ts'
import { maxUrlChars } from '#outbound/url-policy.ts'
import type { Deliveries } from '#store/engine-store.ts'
import { attemptDelivery } from './attempt-delivery.ts'
import type { Outcome } from './next-state.ts'
import { signedHeaders } from './sign.ts'

export type SendDeps = {
  deliveries: Pick<Deliveries, 'secret'>
  clock: Clock
  gateway: Pick<Gateway, 'request'>
  /** For accounts that have none yet: to check a delivery, people must read the secret anyway. */
  makeSecret(): Uint8Array
}

export type Message = { accountId: string; id: string; url: string; body: string }

/** Makes one signed attempt, real or as a test. */
export async function sendWebhook(
  { deliveries, clock, gateway, makeSecret }: SendDeps,
  { accountId, id, url, body }: Message,
  signal: AbortSignal,
): Promise<{ outcome: Outcome; startedAtMs: number; endedAtMs: number }> {
  const startedAtMs = clock.nowMs()
  const secret = await deliveries.secret(accountId, { makeSecret, nowMs: startedAtMs })
  const keys = secret.previous ? [secret.current, secret.previous.secret] : [secret.current]
  const timestampSeconds = Math.floor(startedAtMs / 1_000)
  const headers = signedHeaders({ id, timestampSeconds, body }, keys)
  const outcome = await attemptDelivery(gateway, { url, headers, body, nowMs: startedAtMs }, signal)
  return { outcome, startedAtMs, endedAtMs: clock.nowMs() }
}

/** Whether a webhook may be sent there, checked when a run is submitted. */
export const callbackCheck = (gateway: Pick<Gateway, 'check'>) => async (url: string) => {
  try {
    const { href } = await gateway.check(url)
    // It is sent as it is stored, and escapes have made it longer.
    if (href.length > maxUrlChars) throw new OutboundRefused('SYNTAX')
    return href
  } catch (error) {
    if (!(error instanceof OutboundRefused)) throw error
    const { message, reason } = error
    throw new Failure('CALLBACK_URL_REJECTED', { message, details: { reason } })
  }
}
