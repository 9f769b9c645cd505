import { runStatusLook } from '#console/shared/run-status.tsx'
import { nodeState } from './node-state.ts'
import type { RunState } from './run-state.ts'

/** A run of which nothing works while it waits for somebody says so, instead of "Running". */
export function runLook({ run, nodes }: Pick<RunState, 'run' | 'nodes'>) {
  const all = Object.values(nodes)
  const waiting = all.find(({ status }) => status === 'WAITING')
  const isWaiting = run.status === 'RUNNING' && !all.some(({ status }) => status === 'RUNNING')
  return waiting && isWaiting ? nodeState('WAITING', waiting.type) : runStatusLook(run.status)
}
