import type { Live } from '#console/api/types.ts'

type State = 'running' | 'queued' | 'waiting' | 'retrying'

/** A count as people read it; counting stops at a limit. */
export const atLeast = (count: number, counted: number, locale: string): string =>
  `${new Intl.NumberFormat(locale).format(count)}${count >= counted ? '+' : ''}`

export const isQuiet = ({ runs, tasks, deliveries, calls }: Live): boolean =>
  runs.running + runs.queued + runs.waiting + runs.retrying === 0 &&
  tasks.running + tasks.queued + deliveries.retrying + calls.length === 0

/** Runs and directly ordered media together: both take a worker. */
export const countsOf = ({ runs, tasks, deliveries }: Live): Record<State, number> => ({
  running: runs.running + tasks.running,
  queued: runs.queued + tasks.queued,
  waiting: runs.waiting,
  retrying: runs.retrying + deliveries.retrying,
})

/** Of what is queued, the time since which the oldest waits. */
export const oldestQueued = ({ runs, tasks }: Live): string | null =>
  [runs.oldestQueuedAt, tasks.oldestQueuedAt].filter((at) => at !== null).sort()[0] ?? null
