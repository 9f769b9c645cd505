// A text call of a run with a deadline that cannot wait for a batch. It asks for the vendor's flex
// tier, which answers slowly for less and refuses calls while it is full. Until the deadline is near
// it is then tried again; after that, or if the vendor has no such tier for it, it is made at the
// normal price. What the vendor did not accept is not billed, so nothing is paid twice.
import { LongDelay } from '#core/delayed-call.ts'
import type { NormalReason } from '#core/economy.ts'
import { ProviderError } from '#providers/provider.ts'
import type { EconomyCall } from '#store/engine-store.ts'
import { isRateLimit } from '../calls/provider-failure.ts'
import type { OutsideCall } from './make-call.ts'
import type { RunDeps } from './run-deps.ts'

/** Called with the tier that an answer was billed by; undefined: the normal one. Never rejects. */
export type OnTier = (tier: 'flex' | undefined) => Promise<void>

type FlexOrder<T> = {
  normal: OutsideCall<T>
  flex(onTier: OnTier): OutsideCall<T>
  untilMs: number
  /** Why it would go at the normal price if the tier were never asked for. */
  reason: NormalReason
  /** Never rejects: the answer is paid by then. */
  note(how: Pick<EconomyCall, 'status' | 'reason'>): Promise<void>
}

export function flexCall<T>(
  { clock, economy }: Pick<RunDeps, 'clock' | 'economy'>,
  { normal, flex, untilMs, reason, note }: FlexOrder<T>,
): OutsideCall<T> {
  const cheap = flex((tier) =>
    note(tier ? { status: 'FLEX', reason: null } : { status: 'NORMAL', reason: 'NO_FLEX' }),
  )
  return {
    ...normal,
    async perform(step, waiting) {
      const { sinceMs } = waiting
      let why = sinceMs === undefined ? reason : 'NO_FLEX'
      if (clock.nowMs() < untilMs) {
        try {
          return await cheap.perform(step, waiting)
        } catch (error) {
          const refused = refusalIn(error)
          if (!refused) throw error
          const nowMs = clock.nowMs()
          const pauseMs = Math.max(economy?.pauseMs ?? 0, refused.retryAfterMs ?? 0)
          if (isRateLimit(refused) && nowMs + pauseMs < untilMs)
            throw new LongDelay({ kind: 'RATE_LIMIT', model: normal.model }, pauseMs)
          why = 'NO_FLEX'
        }
      }
      const made = await normal.perform(step, waiting)
      await note({ status: 'NORMAL', reason: why })
      return made
    },
  }
}

/** The tier is full, or the vendor does not take such a call in it; it certainly is not billed. */
function refusalIn(error: unknown): ProviderError | undefined {
  const cause = error instanceof Error ? error.cause : undefined
  if (!(cause instanceof ProviderError) || cause.outcome !== 'rejected') return undefined
  return isRateLimit(cause) || cause.kind === 'invalid' ? cause : undefined
}
