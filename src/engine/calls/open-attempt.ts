// Stores a text attempt before its call is made.
import type { TextCall } from '#core/generation.ts'
import type { Tries, Via } from '#core/route.ts'
import type { AttemptLedger, RoomWait } from './attempt-ledger.ts'
import type { Attempt } from './new-attempt.ts'
import { priceText } from './text-models.ts'

export const open = (
  ledger: Pick<AttemptLedger, 'open'>,
  { call: { principal, origin, credential }, tries }: { call: TextCall; tries?: Tries | undefined },
  attempt: Attempt,
  wait?: RoomWait,
) => {
  const { id, createdAtMs, entry, reservedMicros } = attempt
  attempt.via = tries && viaOf(attempt, tries)
  const { provider, model } = entry
  return ledger.open(
    {
      attempt: id,
      accountId: principal.accountId,
      keyId: principal.keyId,
      taskId: null,
      runId: origin?.runId ?? null,
      nodeId: origin?.nodeId ?? null,
      operation: 'chat',
      provider,
      credential,
      model: model.id,
      unitPrice: model.pricing && priceText(model.pricing),
      reservedMicros: reservedMicros ?? 0,
      createdAtMs,
      tag: principal.tag,
      via: attempt.via,
    },
    { spender: principal, neededMicros: reservedMicros, workerId: origin?.workerId, wait },
  )
}

/** The attempts of a call are stored one after the other, so that they can be counted here. */
function viaOf({ id, entry: { deployment } }: Attempt, tries: Tries): Via {
  tries.count += 1
  tries.first ??= id
  return { deployment, route: tries.route, number: tries.count, first: tries.first }
}
