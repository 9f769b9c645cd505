import type { Db } from '../db.ts'
import type { Deliveries } from '../engine-store.ts'
import type { SecretBox } from '../secret-box.ts'
import { claimStore } from '../tables/claims.ts'
import {
  deliveryClaims,
  endWaits,
  recordAttempt,
  releaseDelivery,
} from '../tables/delivery-claims.ts'
import { ensureWebhookSecret } from '../tables/webhook-secrets.ts'

export const deliveriesIn = (db: Db, box: SecretBox): Deliveries => ({
  claims: claimStore(db, deliveryClaims),
  endWaits: (nowMs) => endWaits(db, nowMs),
  record: (claim, tried) => recordAttempt(db, claim, tried),
  release: (claim, retryAtMs) => releaseDelivery(db, claim, retryAtMs),
  secret: (accountId, options) => ensureWebhookSecret(db, box, accountId, options),
})
