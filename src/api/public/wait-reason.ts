import { toRfc3339 } from '#core/clock.ts'
import { delayKinds, type TimedDelay } from '#core/delayed-call.ts'
import { Type } from '#core/schema.ts'
import { NamedRecord, OneOf, Timestamp } from '../schemas.ts'

export const WaitReason = NamedRecord('WaitReason', {
  kind: OneOf(
    delayKinds,
    'LANE: the limits of the provider key are used up. RATE_LIMIT: the provider asked to wait. BUDGET: calls in flight hold what is left of a spend limit. RETRY: the last attempt failed.',
  ),
  model: Type.Optional(Type.String({ description: 'The model that is to be called.' })),
  position: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        'In the lane: 1 goes next. As the worker saw it when the call began to wait; calls of other processes are not counted.',
    }),
  ),
  since: Timestamp,
  until: Type.Optional(Timestamp),
})

export const waitReasonOf = ({ kind, model, position, sinceMs, untilMs }: TimedDelay) => ({
  kind,
  ...(model === undefined ? {} : { model }),
  ...(position === undefined ? {} : { position }),
  since: toRfc3339(sinceMs),
  ...(untilMs === null ? {} : { until: toRfc3339(untilMs) }),
})
