// Calls of runs and tasks that are not made yet, and why. Whoever reads a run is told.

/**
 * LANE: the limits of the provider key are used up. RATE_LIMIT: the vendor asked to wait. BUDGET:
 * calls in flight hold what is left of a spend limit. RETRY: the last attempt failed.
 */
export const delayKinds = ['LANE', 'RATE_LIMIT', 'BUDGET', 'RETRY'] as const

export type CallDelay = {
  kind: (typeof delayKinds)[number]
  /** The model that is to be called. */
  model?: string | undefined
  /** In a lane, as this process sees it: 1 goes next. */
  position?: number | undefined
}

/** `untilMs`: when it goes on; null if that is not known. */
export type TimedDelay = CallDelay & { sinceMs: number; untilMs: number | null }

export type DelayedCall = TimedDelay & {
  /** Of the call in its run. */
  path: string
  /** How often it was tried before, and how many of these tries count against it. */
  attempts: number
  failures: number
}

/** A shorter delay is waited for in memory: to sleep and to wake costs a claim and a replay. */
export const shortestSleepMs = 10_000

/** Nothing was sent. Whoever made the call makes it again after `ms`, and holds nothing meanwhile. */
export class LongDelay extends Error {
  override name = 'LongDelay'
  readonly delay: CallDelay
  readonly ms: number

  constructor(delay: CallDelay, ms: number) {
    super(
      delay.kind === 'LANE'
        ? 'The limits of the provider key are used up. Nothing was sent.'
        : 'The provider asked to wait. Nothing was sent.',
    )
    this.delay = delay
    this.ms = ms
  }
}

export type PackedDelay = [
  kind: CallDelay['kind'],
  path: string,
  since: number,
  until: number | null,
  attempts: number,
  failures: number,
  model: string | null,
  position: number | null,
]

/** Times are relative to `sinceMs`, the creation of the run. */
export const packDelay = (
  { kind, path, attempts, failures, model, position, ...times }: DelayedCall,
  sinceMs: number,
): PackedDelay => [
  ...([kind, path, times.sinceMs - sinceMs] as const),
  times.untilMs === null ? null : times.untilMs - sinceMs,
  ...([attempts, failures, model ?? null, position ?? null] as const),
]

export const unpackDelay = (
  [kind, path, since, until, attempts, failures, model, position]: PackedDelay,
  sinceMs: number,
): DelayedCall => ({
  ...{ kind, path, attempts, failures },
  model: model ?? undefined,
  position: position ?? undefined,
  sinceMs: since + sinceMs,
  untilMs: until === null ? null : until + sinceMs,
})
