export type Problem = {
  readonly code: string
  readonly message: string
  /** JSON Pointer into the graph. */
  readonly path: string
  readonly nodeId?: string
  readonly connectionIndex?: number
}

export type PlacedProblem = Problem & {
  readonly level: 'error' | 'warning'
  readonly nodeId?: string
  readonly port?: string
  /** The setting of the node that it is about. */
  readonly field?: string
  /** The message in words for people. */
  readonly words: string
}
