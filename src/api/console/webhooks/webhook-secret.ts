import { toRfc3339 } from '#core/clock.ts'
import { type Static, Type } from '#core/schema.ts'
import { insertAuditEntry } from '#store/tables/audit-entries.ts'
import {
  ensureWebhookSecret,
  rotateWebhookSecret,
  type WebhookSecret,
} from '#store/tables/webhook-secrets.ts'
import { answer } from '../../operation.ts'
import { NamedRecord, Nullable, Timestamp } from '../../schemas.ts'
import { entryBy } from '../audit/audit-entry.ts'
import { defineConsole, requireCaller } from '../context.ts'

const secretBytes = 32
const overlapMs = 24 * 3_600_000

const SecretRecord = NamedRecord('WebhookSecret', {
  secret: Type.String({ description: 'whsec_ and base64 of 32 bytes (Standard Webhooks).' }),
  rotatedAt: Timestamp,
  previousValidUntil: Nullable(
    Type.String({
      format: 'date-time',
      description: 'Until then, deliveries have both signatures.',
    }),
  ),
})

const toRecord = ({
  current,
  previous,
  rotatedAtMs,
}: WebhookSecret): Static<typeof SecretRecord> => ({
  secret: `whsec_${Buffer.from(current).toString('base64')}`,
  rotatedAt: toRfc3339(rotatedAtMs),
  previousValidUntil: previous && toRfc3339(previous.validUntilMs),
})

export const getWebhookSecret = defineConsole({
  id: 'getWebhookSecret',
  route: 'GET /webhook-secret',
  summary: 'Shows the secret that signs the webhooks of the account',
  access: 'owner',
  takesKeys: true,
  success: { 200: { description: 'The secret.', data: SecretRecord } },
  audit: { byItself: ['webhook-secret.read'] },
  async handle(context) {
    const { accountId } = requireCaller(context)
    const { db, clock, random, secretBox } = context.services
    const secret = await ensureWebhookSecret(db, secretBox, accountId, {
      makeSecret: () => random(secretBytes),
      nowMs: clock.nowMs(),
    })
    // Also if it was shown before: whoever knows it can forge webhooks.
    const target = 'the secret that signs webhooks'
    await insertAuditEntry(db, entryBy(context, 'webhook-secret.read', target))
    return answer(toRecord(secret))
  },
})

export const rotateSecret = defineConsole({
  id: 'rotateWebhookSecret',
  route: 'POST /webhook-secret/rotate',
  summary: 'Replaces the webhook secret; the previous one stays valid for 24 hours',
  access: 'owner',
  takesKeys: true,
  success: { 200: { description: 'The new secret.', data: SecretRecord } },
  audit: {
    action: 'webhook-secret.rotated',
    target: () => 'the previous one stays valid for 24 hours',
  },
  repeatable: false,
  async handle(context) {
    const { accountId } = requireCaller(context)
    const { db, clock, random, secretBox } = context.services
    const nowMs = clock.nowMs()
    const secret = await rotateWebhookSecret(db, secretBox, accountId, {
      secret: random(secretBytes),
      previousUntilMs: nowMs + overlapMs,
      nowMs,
    })
    return answer(toRecord(secret))
  },
})
