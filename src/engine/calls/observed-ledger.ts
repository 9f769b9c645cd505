import type { Clock } from '#core/clock.ts'
import type { SettledCall } from '#core/settled-call.ts'
import type { Attempt } from '#store/engine-store.ts'
import type { AttemptLedger } from './attempt-ledger.ts'

/** Reports every call when it is settled. Tasks write their own rows and report themselves. */
export function observeLedger(
  ledger: AttemptLedger,
  clock: Clock,
  onSettled: (call: SettledCall) => void,
): AttemptLedger {
  const underWay = new Map<string, Attempt>()
  return {
    ...ledger,
    open(attempt, options) {
      underWay.set(attempt.attempt, attempt)
      // If the row cannot be opened, the call is not made.
      const forget = (error: unknown) => {
        underWay.delete(attempt.attempt)
        throw error
      }
      return ledger.open(attempt, options)?.catch(forget)
    },
    settle(settlement) {
      const attempt = underWay.get(settlement.attempt)
      underWay.delete(settlement.attempt)
      if (attempt) {
        const { provider, model, operation, runId, nodeId, taskId, via, createdAtMs } = attempt
        const { outcome, units, costMicros, finish, answeredBy } = settlement
        const elapsedMs = clock.nowMs() - createdAtMs
        const call = { provider, model, operation, runId, nodeId, taskId, via }
        onSettled({ ...call, outcome, units, costMicros, finish, answeredBy, elapsedMs })
      }
      return ledger.settle(settlement)
    },
  }
}
