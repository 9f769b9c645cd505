import type { Behaviour, Counts, Job, JobState, Recorded, Route } from './behaviour.ts'
import type { Wire } from './wire.ts'

export type Double = {
  readonly origin: string
  /** What the adapter takes as its base address. */
  readonly url: string
  readonly key: string
  readonly counts: Counts
  readonly requests: Recorded[]
  readonly jobs: Job[]
  /** The next requests of this route, one each; then normal again. */
  script(route: Route, ...behaviours: Behaviour[]): void
  /** Every request of this route that no script names. */
  always(route: Route, behaviour: Behaviour): void
  /** States of jobs accepted from now on, one per poll; the last one stays. */
  plan(...states: JobState[]): void
  /** Lets all held requests, and those held later, go on. */
  release(): void
  /** Resolves once this many requests of the route have come in, whatever came of them. */
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
