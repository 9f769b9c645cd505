import type { NodeReuse } from './node-reuse.ts'
import type { ReusableRequest } from './outside-calls.ts'

type FoundAnswer = { value: unknown; savedMicros: number }

/** For estimates: what a run would take over of earlier calls. */
export type EstimateReuse = {
  /** The node that is estimated, with those that call it before it. */
  readonly path: string
  /** What the nodes around it say. */
  readonly within: NodeReuse
  /** `unknown`: only a run can tell. */
  find(
    path: string,
    call: ReusableRequest,
    reuse: NodeReuse,
  ): Promise<FoundAnswer | null | 'unknown'>
}

export type ReusedPart = { calls: number; savedMicros: number }
