import type { Services } from '#api/public/context.ts'
import { createRunStarter } from '#api/public/triggers/start-run.ts'
import type { TriggerServices } from '#api/public/triggers/trigger-services.ts'
import { principalOfMaker } from '#auth/maker.ts'
import { within } from '#core/deadline.ts'
import { toMicros } from '#core/money.ts'
import { createRunAwaiter } from '#engine/triggers/await-runs.ts'
import { type FiringDeps, startFiring } from '#engine/triggers/scheduler.ts'
import type { Metrics } from '#operate/metrics/metrics.ts'
import type { EngineStore } from '#store/engine-store.ts'
import type { Base } from './stores.ts'

/** Senders of webhooks give up after 30 seconds at most. */
const resultWithinMs = 25_000
const maxWaitingForResults = 200

/** What operations need to fire triggers; the scheduler of a worker needs the same. */
export function openTriggers(
  { config, db, clock, log }: Base,
  { triggers, runs }: Pick<EngineStore, 'triggers' | 'runs'>,
  metrics: Metrics,
  services: () => Services,
): { services: TriggerServices; deps: FiringDeps; stopWaiting(): void } {
  const spendLimitMicros = config.SPEND_LIMIT === 0 ? null : toMicros(config.SPEND_LIMIT)
  const makerOf: TriggerServices['makerOf'] = (trigger, nowMs) => {
    const { account_id: accountId, maker_user: userId, maker_key: keyId } = trigger
    return principalOfMaker({ db, spendLimitMicros }, { accountId, userId, keyId }, nowMs)
  }
  const { now } = triggers
  const deps: FiringDeps = {
    triggers,
    start: (firing, trigger) => createRunStarter(services(), { now, makerOf })(firing, trigger),
    onFired: metrics.triggerFired,
    onError: (err, triggerId) => log.error({ err, triggerId }, 'a trigger could not fire'),
  }
  const { stopWaiting, ...awaiter } = createRunAwaiter({
    ...{ runs, timers: clock, limitMs: resultWithinMs, maxWaiting: maxWaitingForResults },
    onError: (err) => log.error({ err }, 'the runs that callers wait for were not read'),
  })
  return {
    services: {
      ...{ now, makerOf, ...awaiter, onFired: metrics.triggerFired },
      startFiring: (firing, trigger, untilMs) =>
        within(
          untilMs - clock.monotonicMs(),
          startFiring(deps, firing, trigger),
          () => null,
          clock,
        ),
    },
    deps,
    stopWaiting,
  }
}
