import type { Behaviour, Counts, Job, JobState, Recorded, Route } from './behaviour.ts'
import type { Wire } from './wire.ts'

export type Double = {
  readonly origin: string
  /** The base URL for the adapter. */
  readonly url: string
  readonly key: string
  readonly counts: Counts
  readonly requests: Recorded[]
  readonly jobs: Job[]
  /** One behaviour for each of the next requests of this route; then back to normal. */
  script(route: Route, ...behaviours: Behaviour[]): void
  /** The behaviour for every request of this route that no script covers. */
  always(route: Route, behaviour: Behaviour): void
  /** The states of jobs that are accepted from now on, one per poll; the last one is repeated. */
  plan(...states: JobState[]): void
  /** Lets all held requests continue, and those that would be held later. */
  release(): void
  /** Resolves once this many requests of the route have arrived, whatever became of them. */
  arrived(route: Route, count: number): Promise<void>
  reset(): void
  close(): Promise<void>
}

export type State = Double & {
  readonly wire: Wire
  readonly scripts: Map<Route, Behaviour[]>
  readonly defaults: Map<Route, Behaviour>
  readonly waiting: { route: Route; count: number; resolve: () => void }[]
  planned: JobState[]
  released: boolean
  readonly held: Set<() => void>
}
