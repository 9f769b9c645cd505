import type { Live } from '#console/api/types.ts'
import { formatCount } from '#console/lib/format-count.ts'
import { locale } from '#console/lib/locale.ts'
import { clockTime } from '#console/lib/time.ts'

type Lane = Live['lanes'][number]
type Key = Lane['keys'][number]

export type LaneRow = {
  id: string
  provider: string
  key: Key | null
  /** In the first row of a provider: its keys share what waits. */
  lane: Lane | null
}

/** A row for each key, and one for a provider that calls wait for without known limits. */
export const laneRows = (lanes: readonly Lane[]): LaneRow[] =>
  lanes.flatMap((lane) =>
    (lane.keys.length > 0 ? lane.keys : [null]).map((key, at) => ({
      id: JSON.stringify([lane.provider, key?.name, key?.model]),
      provider: lane.provider,
      key,
      lane: at === 0 ? lane : null,
    })),
  )

/** "600 requests" and "90,000 tokens". */
export const limitWords = (key: Key | null): string[] => [
  ...(key?.requestsPerMinute ? [`${formatCount(key.requestsPerMinute)} requests`] : []),
  ...(key?.tokensPerMinute ? [`${formatCount(key.tokensPerMinute)} tokens`] : []),
]

const reasons = {
  RATE_LIMIT: 'the provider asked to wait',
  FAILING: 'its calls kept failing',
  REFUSED: 'the provider refuses the key',
}

/** "All models paused until 12:04: the provider asked to wait". */
export const pauseWords = ({ until, why, model }: NonNullable<Key['paused']>): string =>
  `${model ?? 'All models'} paused until ${clockTime(Date.parse(until), locale)}: ${reasons[why]}`
