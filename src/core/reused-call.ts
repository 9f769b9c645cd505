// What the `reuse` of a finished call holds: the key of its answer, or whose answer it is.

/** The call of another run whose answer was taken over. */
export type ReusedCall = {
  runId: string
  path: string
  /** When it was answered. */
  atMs: number
  savedMicros: number
  /** The key of the answer, by which a retry finds it again. */
  key?: string
}

/** Keys have no braces. */
export const writeReused = (call: ReusedCall): string => JSON.stringify(call)

export const readReused = (reuse: string | null | undefined): ReusedCall | null =>
  reuse?.startsWith('{') ? JSON.parse(reuse) : null

/** A finished call that may be taken over. */
export type ReusableCall = Pick<ReusedCall, 'runId' | 'path' | 'atMs' | 'savedMicros'> & {
  taskId: string | null
  attempts: number
  /** JSON, or a reference to it in the payload store. */
  result: string
}

/** The node of the run's own graph that a call was made for. */
export const rootOfPath = (path: string): string => /^[A-Za-z0-9_-]+/.exec(path)?.[0] ?? ''
